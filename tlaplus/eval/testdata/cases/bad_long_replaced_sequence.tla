---- MODULE bad_long_replaced_sequence ----
EXTENDS Naturals, Sequences, SequencesExt
RECURSIVE Twice(_, _)
Twice(s, n) == IF n = 0 THEN s ELSE Twice(s \o s, n - 1)
Result == ReplaceAllSubSeqs(Twice(<<1, 2>>, 20), <<2>>, Twice(<<1, 2>>, 20))
====
error: bad_long_replaced_sequence.tla:5:11: the sequence would have 10485756 elements: at most 8388608 are supported
