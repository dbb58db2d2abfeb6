---- MODULE numbered_conjunct ----
EXTENDS Naturals, Sequences, FiniteSets
F == /\ TRUE
     /\ FALSE
Result == F!2
====
FALSE
