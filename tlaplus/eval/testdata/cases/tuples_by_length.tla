---- MODULE tuples_by_length ----
EXTENDS Naturals, Sequences, FiniteSets
Result == CHOOSE x \in {<<1, 1>>, <<5>>} : TRUE
====
<<5>>
