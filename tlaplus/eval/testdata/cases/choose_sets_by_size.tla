---- MODULE choose_sets_by_size ----
EXTENDS Naturals, Sequences, FiniteSets
Result == CHOOSE s \in {{1, 2}, {3}} : TRUE
====
{3}
