---- MODULE forall_empty ----
EXTENDS Naturals, Sequences, FiniteSets
Result == \A x \in {} : FALSE
====
TRUE
