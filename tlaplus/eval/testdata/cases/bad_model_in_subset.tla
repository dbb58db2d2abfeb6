---- MODULE bad_model_in_subset ----
CONSTANT A
Result == A \in SUBSET {1}
====
error: bad_model_in_subset.tla:3:11: A \subseteq {1}: both have to be sets
