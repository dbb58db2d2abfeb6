---- MODULE bad_junction ----
EXTENDS Naturals, Sequences, FiniteSets
Result == TRUE /\ 3
====
error: bad_junction.tla:3:19: 3 is not a boolean
