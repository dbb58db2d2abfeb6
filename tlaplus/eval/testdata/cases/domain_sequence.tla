---- MODULE domain_sequence ----
EXTENDS Naturals, Sequences, FiniteSets
Result == DOMAIN <<"a", "b">> = 1..2
====
TRUE
