---- MODULE function_tuple_argument ----
EXTENDS Naturals, Sequences, FiniteSets
Result == [x \in 1..2, y \in 1..2 |-> x + y][<<2, 1>>]
====
3
