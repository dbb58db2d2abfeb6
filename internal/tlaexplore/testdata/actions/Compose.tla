---- MODULE Compose ----
EXTENDS Integers, Sequences, FiniteSets, TLC
VARIABLES x, y
Init == x = 0 /\ y = 0
A == x < 4 /\ x' = x + 1 /\ UNCHANGED y
B == \E d \in {0, 1} : y' = y + d /\ y < 3 /\ UNCHANGED x
Next == A \cdot B
====
distinct 14, generated 29, depth 5
