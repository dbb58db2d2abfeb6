---- MODULE quantifier_several ----
EXTENDS Naturals, Sequences, FiniteSets
Result == \E x, y \in 1..3, z \in {6} : x * y = z
====
TRUE
