---- MODULE instance_parameter ----
EXTENDS Naturals, Sequences, FiniteSets
---- MODULE M ----
EXTENDS Naturals
CONSTANT C
Add(x) == x + C
====
I(C) == INSTANCE M
Result == I(2)!Add(1)
====
3
