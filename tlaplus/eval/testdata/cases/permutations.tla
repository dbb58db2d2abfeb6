---- MODULE permutations ----
EXTENDS TLC, FiniteSets
Result == Cardinality(Permutations({1, 2, 3}))
====
6
