---- MODULE function_set ----
EXTENDS Naturals, Sequences, FiniteSets
Result == Cardinality([1..3 -> {0, 1}])
====
8
