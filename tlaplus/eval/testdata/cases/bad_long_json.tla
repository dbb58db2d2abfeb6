---- MODULE bad_long_json ----
EXTENDS Naturals, Json
RECURSIVE Twice(_, _)
Twice(v, n) == IF n = 0 THEN v ELSE Twice(<<v, v>>, n - 1)
Result == ToJson(Twice(1, 60))
====
error: bad_long_json.tla:5:11: the string would have more than 8388608 bytes: at most 8388608 are supported
