---- MODULE map_set ----
EXTENDS Naturals, Sequences, FiniteSets
Result == {x * x : x \in {0 - 2, 1, 2}}
====
{1, 4}
