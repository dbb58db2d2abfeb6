---- MODULE bad_set_too_large ----
EXTENDS Naturals, Sequences, FiniteSets
Result == SUBSET (1..40) = {}
====
error: bad_set_too_large.tla:3:11: SUBSET (1..40) has too many elements to count
