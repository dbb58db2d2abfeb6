---- MODULE bad_assert ----
EXTENDS TLC, Naturals
Result == Assert(1 = 2, "no")
====
error: bad_assert.tla:3:11: The first argument of Assert evaluated to FALSE; the second argument was: "no"
