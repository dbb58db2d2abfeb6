---- MODULE Sets ----
EXTENDS Integers, Sequences, FiniteSets, TLC
VARIABLES x, y
Init == x \in SUBSET {1, 2} /\ y = 0
Next == \/ x' \in {s \in SUBSET {1, 2, 3} : Cardinality(s) = Cardinality(x) + 1 /\ x \subseteq s} /\ UNCHANGED y
        \/ \E s \in SUBSET x : x' = s /\ y' = Cardinality(s)
====
distinct 20, generated 109, depth 4
