---- MODULE subseteq ----
EXTENDS Naturals, Sequences, FiniteSets
Result == {1, 2} \subseteq 1..3
====
TRUE
