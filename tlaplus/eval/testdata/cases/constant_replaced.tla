---- MODULE constant_replaced ----
EXTENDS Naturals, Sequences, FiniteSets
CONSTANT N
Three == 3
Result == N + 1
====
4
