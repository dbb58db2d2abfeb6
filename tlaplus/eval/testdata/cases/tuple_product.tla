---- MODULE tuple_product ----
EXTENDS Naturals, Sequences, FiniteSets
Result == <<1, "a">> \in (1..2) \X {"a"}
====
TRUE
