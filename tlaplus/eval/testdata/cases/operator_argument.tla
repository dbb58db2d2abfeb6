---- MODULE operator_argument ----
EXTENDS Naturals, Sequences, FiniteSets
Twice(F(_), x) == F(F(x))
Result == Twice(LAMBDA x : x + 3, 1)
====
7
