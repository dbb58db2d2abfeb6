---- MODULE record ----
EXTENDS Naturals, Sequences, FiniteSets
Result == [b |-> 1, a |-> 2].a
====
2
