---- MODULE model_value_self ----
EXTENDS Naturals, Sequences, FiniteSets
CONSTANT m
Result == m = m
====
TRUE
