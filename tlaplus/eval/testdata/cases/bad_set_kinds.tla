---- MODULE bad_set_kinds ----
EXTENDS Naturals, Sequences, FiniteSets
Result == Cardinality({1, TRUE})
====
error: bad_set_kinds.tla:3:11: 1 and TRUE cannot be compared
