---- MODULE DefinedPrime ----
\* A definition may represent a variable, or its value in the next state.
EXTENDS Naturals
VARIABLES x, y
first == x
after == x'
Init == x = 0 /\ y = 0
Next == \/ x < 3 /\ after = x + 1 /\ UNCHANGED y
        \/ first' = 0 /\ y' \in {0, 1}
        \/ after \in {7, 8} /\ y = 1 /\ UNCHANGED y
====
distinct 10, generated 39, depth 5
