---- MODULE bad_division_reals ----
EXTENDS Reals
Result == 1 / 2
====
error: bad_division_reals.tla:3:11: / is not supported: there are no real numbers
