---- MODULE bad_cardinality ----
EXTENDS Naturals, Sequences, FiniteSets
Result == Cardinality(Nat)
====
error: bad_cardinality.tla:3:11: the set Nat cannot be enumerated
