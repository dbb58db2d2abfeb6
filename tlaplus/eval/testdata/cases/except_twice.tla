---- MODULE except_twice ----
EXTENDS Naturals, Sequences, FiniteSets
Result == [<<1, 2>> EXCEPT ![1] = 5, ![1] = @ * 2]
====
<<10, 2>>
