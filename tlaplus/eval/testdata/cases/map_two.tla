---- MODULE map_two ----
EXTENDS Naturals, Sequences, FiniteSets
Result == {x + y : x \in 1..2, y \in 1..2}
====
{2, 3, 4}
