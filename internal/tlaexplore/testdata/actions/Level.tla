---- MODULE Level ----
\* A constraint on states reads the level of the state that it judges; one on steps, that of
\* the state before.
EXTENDS Naturals, TLC
VARIABLES x, y
Init == x = TLCGet("level") /\ y = 0
Next == x' = x + 1 /\ y' \in {TLCGet("level"), 9} /\ TLCGet("level")' = x + 2
Few == TLCGet("level") < 4
Small == y = 9 => TLCGet("level") < 2
====
distinct 5, generated 11, depth 3
