---- MODULE equivalence ----
EXTENDS Naturals, Sequences, FiniteSets
Result == (1 = 2) <=> FALSE
====
TRUE
