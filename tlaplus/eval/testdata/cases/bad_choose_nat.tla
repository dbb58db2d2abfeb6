---- MODULE bad_choose_nat ----
EXTENDS Naturals, Sequences, FiniteSets
Result == CHOOSE n \in Nat : n > 3
====
error: bad_choose_nat.tla:3:24: CHOOSE from Nat, which cannot be enumerated
