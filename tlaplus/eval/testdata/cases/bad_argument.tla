---- MODULE bad_argument ----
EXTENDS Naturals, Sequences, FiniteSets
Result == <<1, 2>>[3]
====
error: bad_argument.tla:3:11: the tuple <<1, 2>> has no element 3
