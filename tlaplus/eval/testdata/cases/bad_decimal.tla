---- MODULE bad_decimal ----
EXTENDS Naturals, Sequences, FiniteSets
Result == 1.5
====
error: bad_decimal.tla:3:11: the decimal number 1.5: reals are not supported
