---- MODULE function ----
EXTENDS Naturals, Sequences, FiniteSets
Result == [x \in 2..3 |-> x * x]
====
(2 :> 4 @@ 3 :> 9)
