---- MODULE bad_overflow ----
EXTENDS Naturals, Sequences, FiniteSets
Result == 2147483647 + 1
====
error: bad_overflow.tla:3:11: the integer 2147483648 does not fit 32 bits
