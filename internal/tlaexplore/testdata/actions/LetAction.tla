---- MODULE LetAction ----
EXTENDS Integers, Sequences, FiniteSets, TLC
VARIABLES x, y
Init == x = 0 /\ y = 0
Step(v, d) == v' = v + d
Next == LET Up(d) == Step(x, d) /\ UNCHANGED y IN x < 5 /\ (Up(1) \/ Up(2))
====
distinct 7, generated 11, depth 4
