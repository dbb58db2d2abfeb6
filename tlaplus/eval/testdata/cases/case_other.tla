---- MODULE case_other ----
EXTENDS Naturals, Sequences, FiniteSets
Result == CASE 1 > 2 -> "a" [] OTHER -> "c"
====
"c"
