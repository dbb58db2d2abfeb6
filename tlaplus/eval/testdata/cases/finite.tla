---- MODULE finite ----
EXTENDS Naturals, Sequences, FiniteSets
Result == <<IsFiniteSet(Nat), IsFiniteSet({1})>>
====
<<FALSE, TRUE>>
