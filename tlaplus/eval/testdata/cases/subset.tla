---- MODULE subset ----
EXTENDS Naturals, Sequences, FiniteSets
Result == SUBSET {1, 2} = {{}, {1}, {2}, {1, 2}}
====
TRUE
