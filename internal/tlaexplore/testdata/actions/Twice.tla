---- MODULE Twice ----
EXTENDS Integers, Sequences, FiniteSets, TLC
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == (x' = 1 /\ x' = 1 /\ y' = 0) \/ (x' = 2 /\ x' \in {2, 3} /\ y' = 0) \/ (x' = 3 /\ x' = 4 /\ y' = 0)
====
distinct 3, generated 7, depth 2
