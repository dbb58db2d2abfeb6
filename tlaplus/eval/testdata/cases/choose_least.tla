---- MODULE choose_least ----
EXTENDS Naturals, Sequences, FiniteSets
Result == CHOOSE x \in {3, 1, 2} : TRUE
====
1
