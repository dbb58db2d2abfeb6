---- MODULE bad_power ----
EXTENDS Naturals, Sequences, FiniteSets
Result == 2 ^ 31
====
error: bad_power.tla:3:11: 2 ^ 31 does not fit 32 bits
