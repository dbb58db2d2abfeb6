---- MODULE product_three ----
EXTENDS Naturals, Sequences, FiniteSets
Result == Cardinality((1..2) \X (1..3) \X (1..4))
====
24
