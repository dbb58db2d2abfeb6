---- MODULE choose_condition ----
EXTENDS Naturals, Sequences, FiniteSets
Result == CHOOSE x \in 1..10 : x * x > 20
====
5
