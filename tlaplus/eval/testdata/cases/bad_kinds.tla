---- MODULE bad_kinds ----
EXTENDS Naturals, Sequences, FiniteSets
Result == 1 = "a"
====
error: bad_kinds.tla:3:11: 1 and "a" cannot be compared
