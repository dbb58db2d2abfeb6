---- MODULE bad_apply ----
EXTENDS Naturals, Sequences, FiniteSets
Result == (3)[1]
====
error: bad_apply.tla:3:11: 3 is not a function, but is applied to 1
