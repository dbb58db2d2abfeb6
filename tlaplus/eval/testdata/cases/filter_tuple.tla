---- MODULE filter_tuple ----
EXTENDS Naturals, Sequences, FiniteSets
Result == {<<a, b>> \in (1..2) \X (1..2) : a < b}
====
{<<1, 2>>}
