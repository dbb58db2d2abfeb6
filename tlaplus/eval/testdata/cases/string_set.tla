---- MODULE string_set ----
EXTENDS Naturals, Sequences, FiniteSets
Result == "a" \in STRING
====
TRUE
