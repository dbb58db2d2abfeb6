---- MODULE constant_from_cfg ----
EXTENDS Naturals, Sequences, FiniteSets
CONSTANT N
Result == N + 1
====
8
