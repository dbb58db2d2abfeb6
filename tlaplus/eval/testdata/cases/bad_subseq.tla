---- MODULE bad_subseq ----
EXTENDS Naturals, Sequences, FiniteSets
Result == SubSeq(<<1>>, 1, 2)
====
error: bad_subseq.tla:3:11: SubSeq(<<1>>, 1, 2) goes beyond the sequence
