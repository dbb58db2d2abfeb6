---- MODULE Square ----
EXTENDS Integers, Sequences, FiniteSets, TLC
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == [x < 2 /\ x' = x + 1 /\ y' = y]_<<x, y>> \/ <<y < 1 /\ y' = y + 1 /\ x' = x>>_y
====
distinct 6, generated 14, depth 4
