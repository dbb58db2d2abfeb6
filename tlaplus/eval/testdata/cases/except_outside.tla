---- MODULE except_outside ----
EXTENDS Naturals, Sequences, FiniteSets
Result == [<<1, 2>> EXCEPT ![3] = 9]
====
<<1, 2>>
