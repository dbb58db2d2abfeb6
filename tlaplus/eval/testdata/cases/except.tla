---- MODULE except ----
EXTENDS Naturals, Sequences, FiniteSets
Result == [<<1, 2, 3>> EXCEPT ![2] = 9]
====
<<1, 9, 3>>
