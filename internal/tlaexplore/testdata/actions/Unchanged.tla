---- MODULE Unchanged ----
EXTENDS Integers, Sequences, FiniteSets, TLC
VARIABLES x, y
Init == x = 0 /\ y \in {1, 2}
vars == <<x, <<y, <<x>>>>>>
Next == (x < 2 /\ x' = x + 1 /\ UNCHANGED <<<<y>>, <<>>>>) \/ UNCHANGED vars
====
distinct 6, generated 12, depth 3
