---- MODULE string_concat ----
EXTENDS Naturals, Sequences, FiniteSets
Result == "ab" \o "c"
====
"abc"
