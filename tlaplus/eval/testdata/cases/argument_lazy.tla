---- MODULE argument_lazy ----
EXTENDS Naturals, Sequences, FiniteSets
First(a, b) == a
Result == First(1, 1 \div 0)
====
1
