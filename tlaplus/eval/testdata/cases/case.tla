---- MODULE case ----
EXTENDS Naturals, Sequences, FiniteSets
Result == CASE 1 > 2 -> "a" [] 2 > 1 -> "b" [] OTHER -> "c"
====
"b"
