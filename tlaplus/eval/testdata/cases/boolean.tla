---- MODULE boolean ----
EXTENDS Naturals, Sequences, FiniteSets
Result == BOOLEAN = {TRUE, FALSE}
====
TRUE
