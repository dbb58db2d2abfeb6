---- MODULE bad_recursion ----
EXTENDS Naturals, Sequences, FiniteSets
RECURSIVE F(_)
F(n) == F(n + 1)
Result == F(0)
====
error: bad_recursion.tla:4:1: the evaluation of F calls itself too deeply
