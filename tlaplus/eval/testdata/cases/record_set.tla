---- MODULE record_set ----
EXTENDS Naturals, Sequences, FiniteSets
Result == Cardinality([a : 1..3, b : {0}])
====
3
