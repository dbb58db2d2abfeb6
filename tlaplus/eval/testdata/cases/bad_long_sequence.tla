---- MODULE bad_long_sequence ----
EXTENDS Naturals, Sequences
RECURSIVE Twice(_, _)
Twice(s, n) == IF n = 0 THEN s ELSE Twice(s \o s, n - 1)
Result == Twice(<<1, 2>>, 40)
====
error: bad_long_sequence.tla:4:43: the sequence would have 16777216 elements: at most 8388608 are supported
