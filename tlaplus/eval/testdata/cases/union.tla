---- MODULE union ----
EXTENDS Naturals, Sequences, FiniteSets
Result == UNION {{1, 2}, {2, 3}}
====
{1, 2, 3}
