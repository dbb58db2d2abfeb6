---- MODULE quantifier_tuple ----
EXTENDS Naturals, Sequences, FiniteSets
Result == \A <<a, b>> \in {<<1, 2>>, <<3, 4>>} : b = a + 1
====
TRUE
