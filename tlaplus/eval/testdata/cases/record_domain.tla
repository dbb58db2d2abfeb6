---- MODULE record_domain ----
EXTENDS Naturals, Sequences, FiniteSets
Result == DOMAIN [a |-> 1, b |-> 2] = {"b", "a"}
====
TRUE
