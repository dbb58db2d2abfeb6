---- MODULE except_at ----
EXTENDS Naturals, Sequences, FiniteSets
Result == [[a |-> 1] EXCEPT !.a = @ + 1].a
====
2
