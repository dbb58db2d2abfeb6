---- MODULE string_length ----
EXTENDS Naturals, Sequences, FiniteSets
Result == Len("abc")
====
3
