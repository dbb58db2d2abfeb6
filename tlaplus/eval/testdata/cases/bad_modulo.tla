---- MODULE bad_modulo ----
EXTENDS Naturals, Sequences, FiniteSets
Result == 3 % 0
====
error: bad_modulo.tla:3:11: 3 % 0: the second has to be above 0
