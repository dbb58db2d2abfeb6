---- MODULE bad_set_quantified ----
EXTENDS Naturals, Sequences, FiniteSets
Result == \A x \in 3 : TRUE
====
error: bad_set_quantified.tla:3:20: 3 is not a set
