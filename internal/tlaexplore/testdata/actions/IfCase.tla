---- MODULE IfCase ----
EXTENDS Integers, Sequences, FiniteSets, TLC
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == /\ x' = IF x < 3 THEN x + 1 ELSE 0
        /\ CASE x = 0 -> y' = 1 [] x = 1 -> y' \in {1, 2} [] OTHER -> UNCHANGED y
====
distinct 8, generated 10, depth 5
