---- MODULE to_string ----
EXTENDS TLC
Result == ToString(<<1, "a", {TRUE}>>)
====
"<<1, \"a\", {TRUE}>>"
