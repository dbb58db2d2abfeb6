---- MODULE model_value_equal ----
EXTENDS Naturals, Sequences, FiniteSets
CONSTANT m
Result == m = 1
====
FALSE
