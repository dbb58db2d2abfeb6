---- MODULE bad_condition ----
EXTENDS Naturals, Sequences, FiniteSets
Result == IF 1 THEN 2 ELSE 3
====
error: bad_condition.tla:3:14: 1 is not a boolean
