---- MODULE bad_choose ----
EXTENDS Naturals, Sequences, FiniteSets
Result == CHOOSE x \in 1..3 : x > 3
====
error: bad_choose.tla:3:11: CHOOSE finds no element of 1..3 that satisfies its condition
