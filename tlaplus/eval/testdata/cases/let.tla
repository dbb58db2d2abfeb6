---- MODULE let ----
EXTENDS Naturals, Sequences, FiniteSets
Result == LET a == 2 b(x) == x * a IN b(5)
====
10
