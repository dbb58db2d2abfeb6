---- MODULE label ----
EXTENDS Naturals, Sequences, FiniteSets
F == here:: 1 + 2
Result == F!here
====
3
