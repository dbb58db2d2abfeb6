---- MODULE record_is_function ----
EXTENDS Naturals, Sequences, FiniteSets
Result == [a |-> 1, b |-> 2] = [x \in {"a", "b"} |-> IF x = "a" THEN 1 ELSE 2]
====
TRUE
