---- MODULE except_path ----
EXTENDS Naturals, Sequences, FiniteSets
Result == [[a |-> <<1, 2>>] EXCEPT !.a[1] = @ + 6].a
====
<<7, 2>>
