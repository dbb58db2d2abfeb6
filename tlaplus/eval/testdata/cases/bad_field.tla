---- MODULE bad_field ----
EXTENDS Naturals, Sequences, FiniteSets
Result == [a |-> 1].b
====
error: bad_field.tla:3:11: the record has no field b: its fields are {"a"}
