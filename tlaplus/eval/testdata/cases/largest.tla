---- MODULE largest ----
EXTENDS Naturals, Sequences, FiniteSets
Result == 2147483647
====
2147483647
