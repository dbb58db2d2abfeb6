---- MODULE bad_long_string ----
EXTENDS Naturals, Sequences
RECURSIVE Twice(_, _)
Twice(s, n) == IF n = 0 THEN s ELSE Twice(s \o s, n - 1)
Result == Twice("ab", 40)
====
error: bad_long_string.tla:4:43: the string would have 16777216 bytes: at most 8388608 are supported
