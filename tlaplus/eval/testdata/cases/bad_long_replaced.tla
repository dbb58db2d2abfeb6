---- MODULE bad_long_replaced ----
EXTENDS Naturals, Sequences, SequencesExt
RECURSIVE Twice(_, _)
Twice(s, n) == IF n = 0 THEN s ELSE Twice(s \o s, n - 1)
Result == ReplaceAllSubSeqs(Twice("ab", 20), "b", Twice("ab", 20))
====
error: bad_long_replaced.tla:5:11: the string would have 2199024304128 bytes: at most 8388608 are supported
