---- MODULE Enabled ----
EXTENDS Integers, Sequences, FiniteSets, TLC
VARIABLES x, y
Init == x = 0 /\ y = 0
A == x < 3 /\ x' = x + 1 /\ y' = y
Next == A \/ (~ENABLED A /\ y < 2 /\ y' = y + 1 /\ x' = x)
====
distinct 6, generated 6, depth 6
