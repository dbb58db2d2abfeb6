---- MODULE junction_columns ----
EXTENDS Naturals, Sequences, FiniteSets
Result == 
  \/ /\ TRUE
     /\ FALSE
  \/ TRUE
====
TRUE
