---- MODULE OrQuant ----
EXTENDS Integers, Sequences, FiniteSets, TLC
VARIABLES x, y
Init == x = 0 /\ y = {}
Next == \/ \A i \in {1, 2} : x' = x /\ y' = y \cup {3}
        \/ \E <<a, b>> \in {<<1, 2>>, <<3, 4>>} : x' = a /\ y' = {b}
====
distinct 6, generated 19, depth 3
