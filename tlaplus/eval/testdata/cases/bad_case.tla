---- MODULE bad_case ----
EXTENDS Naturals, Sequences, FiniteSets
Result == CASE 1 > 2 -> 3
====
error: bad_case.tla:3:11: no condition of the CASE is TRUE, and it has no OTHER
