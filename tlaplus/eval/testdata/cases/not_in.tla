---- MODULE not_in ----
EXTENDS Naturals, Sequences, FiniteSets
Result == 4 \notin 1..3
====
TRUE
