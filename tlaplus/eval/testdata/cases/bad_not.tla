---- MODULE bad_not ----
EXTENDS Naturals, Sequences, FiniteSets
Result == ~ 3
====
error: bad_not.tla:3:13: 3 is not a boolean
