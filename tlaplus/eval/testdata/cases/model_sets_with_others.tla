---- MODULE model_sets_with_others ----
EXTENDS FiniteSets
CONSTANT m
Result == Cardinality({m, 1})
====
2
