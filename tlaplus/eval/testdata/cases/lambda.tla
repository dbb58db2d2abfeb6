---- MODULE lambda ----
EXTENDS Naturals, Sequences, FiniteSets
Result == SelectSeq(<<1, 2, 3, 4>>, LAMBDA x : x % 2 = 0)
====
<<2, 4>>
