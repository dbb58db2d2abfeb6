---- MODULE bad_model_typed ----
EXTENDS Naturals
CONSTANT a_1
Result == a_1 = 1
====
error: bad_model_typed.tla:4:11: the typed model value a_1 cannot be compared with 1
