---- MODULE interval_empty ----
EXTENDS Naturals, Sequences, FiniteSets
Result == 3..1 = {}
====
TRUE
