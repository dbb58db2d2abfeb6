---- MODULE random_subset ----
EXTENDS Randomization, FiniteSets, Naturals
Result == Cardinality(RandomSubset(3, 1..10))
====
3
