---- MODULE subset_large_member ----
EXTENDS Naturals, Sequences, FiniteSets
Result == {1, 30} \in SUBSET (1..40)
====
TRUE
