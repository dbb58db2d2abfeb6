---- MODULE bad_kinds_set ----
EXTENDS Naturals, Sequences, FiniteSets
Result == {1, "a"} = {}
====
error: bad_kinds_set.tla:3:11: 1 and "a" cannot be compared
