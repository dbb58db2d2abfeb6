---- MODULE bad_interleave ----
EXTENDS SequencesExt
Result == Interleave(<<1>>, <<>>)
====
error: bad_interleave.tla:3:11: Interleave: the sequences have the lengths 1 and 0
