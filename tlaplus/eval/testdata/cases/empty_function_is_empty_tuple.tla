---- MODULE empty_function_is_empty_tuple ----
EXTENDS Naturals, Sequences, FiniteSets
Result == [x \in {} |-> x] = <<>>
====
TRUE
