---- MODULE infix_defined ----
EXTENDS Naturals, Sequences, FiniteSets
a (+) b == a * a + b * b
Result == 3 (+) 4
====
25
