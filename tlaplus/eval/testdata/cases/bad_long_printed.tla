---- MODULE bad_long_printed ----
EXTENDS Naturals, TLC
RECURSIVE Twice(_, _)
Twice(v, n) == IF n = 0 THEN v ELSE Twice(<<v, v>>, n - 1)
Result == ToString(Twice(1, 60))
====
error: bad_long_printed.tla:5:11: the string would have more than 8388608 bytes: at most 8388608 are supported
