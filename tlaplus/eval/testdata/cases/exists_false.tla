---- MODULE exists_false ----
EXTENDS Naturals, Sequences, FiniteSets
Result == \E x \in 1..3 : x > 4
====
FALSE
