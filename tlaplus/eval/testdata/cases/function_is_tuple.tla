---- MODULE function_is_tuple ----
EXTENDS Naturals, Sequences, FiniteSets
Result == [x \in 1..2 |-> x * x] = <<1, 4>>
====
TRUE
