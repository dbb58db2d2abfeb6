---- MODULE record_set_member ----
EXTENDS Naturals, Sequences, FiniteSets
Result == [a |-> 1] \in [a : Nat, b : Nat]
====
FALSE
