---- MODULE filter ----
EXTENDS Naturals, Sequences, FiniteSets
Result == {x \in 1..10 : x % 3 = 0}
====
{3, 6, 9}
