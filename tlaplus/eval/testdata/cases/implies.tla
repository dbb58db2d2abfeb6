---- MODULE implies ----
EXTENDS Naturals, Sequences, FiniteSets
Result == FALSE => 1
====
TRUE
