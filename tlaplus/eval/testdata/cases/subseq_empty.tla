---- MODULE subseq_empty ----
EXTENDS Naturals, Sequences, FiniteSets
Result == SubSeq(<<1, 2>>, 2, 1)
====
<<>>
