---- MODULE function_set_member ----
EXTENDS Naturals, Sequences, FiniteSets
Result == [x \in 1..2 |-> 5] \in [1..2 -> Nat]
====
TRUE
