---- MODULE unicode ----
EXTENDS Naturals, Sequences, FiniteSets
Result == ∀ x ∈ {1, 2} : x ≤ 2
====
TRUE
