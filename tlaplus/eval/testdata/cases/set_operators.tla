---- MODULE set_operators ----
EXTENDS Naturals, Sequences, FiniteSets
Result == (({1, 2, 3} \cup {4}) \cap {2, 3, 4}) \ {3}
====
{2, 4}
