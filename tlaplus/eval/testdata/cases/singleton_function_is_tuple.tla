---- MODULE singleton_function_is_tuple ----
EXTENDS Naturals, Sequences, FiniteSets
Result == [x \in {1} |-> "a"] = <<"a">>
====
TRUE
