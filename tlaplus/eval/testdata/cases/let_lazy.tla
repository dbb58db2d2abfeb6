---- MODULE let_lazy ----
EXTENDS Naturals, Sequences, FiniteSets
Result == LET a == 1 \div 0 IN 3
====
3
