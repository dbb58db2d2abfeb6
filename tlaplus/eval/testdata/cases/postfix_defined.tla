---- MODULE postfix_defined ----
EXTENDS Naturals, Sequences, FiniteSets
a^+ == a + 1
Result == 3^+
====
4
