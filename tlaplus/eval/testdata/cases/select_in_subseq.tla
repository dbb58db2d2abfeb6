---- MODULE select_in_subseq ----
EXTENDS SequencesExt
Result == SelectInSubSeq(<<1, 1, 2, 2>>, 2, 4, LAMBDA e : e = 2)
====
3
