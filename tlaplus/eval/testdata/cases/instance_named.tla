---- MODULE instance_named ----
EXTENDS Naturals, Sequences, FiniteSets
---- MODULE M ----
EXTENDS Naturals
CONSTANT C
Add(x) == x + C
====
I == INSTANCE M WITH C <- 5
Result == I!Add(1)
====
6
