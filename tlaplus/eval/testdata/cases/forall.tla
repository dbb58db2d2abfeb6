---- MODULE forall ----
EXTENDS Naturals, Sequences, FiniteSets
Result == \A x \in 1..3 : x < 4
====
TRUE
