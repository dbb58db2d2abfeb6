---- MODULE integers_before_by_value ----
EXTENDS Naturals, Sequences, FiniteSets
Result == CHOOSE x \in {10, 9} : TRUE
====
9
