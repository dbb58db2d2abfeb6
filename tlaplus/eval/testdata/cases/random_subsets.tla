---- MODULE random_subsets ----
EXTENDS Randomization, Naturals
Result == \A s \in RandomSetOfSubsets(4, 2, 1..5) : s \subseteq 1..5
====
TRUE
