---- MODULE bad_field ----
EXTENDS Naturals, Sequences, FiniteSets
Result == [a |-> 1].b
====
error: bad_field.tla:3:11: the record [a |-> 1] has no field b
