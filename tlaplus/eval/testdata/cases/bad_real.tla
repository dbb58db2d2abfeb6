---- MODULE bad_real ----
EXTENDS Reals
Result == 1 \in Real
====
error: bad_real.tla:3:17: Real is not supported: there are no real numbers
