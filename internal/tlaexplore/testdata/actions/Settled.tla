---- MODULE Settled ----
\* Once all variables have values, TLC evaluates the rest, and makes no more states.
EXTENDS Integers
VARIABLES x, y
Init == x \in {0, 1} /\ y = 0 /\ \E v \in 1..2 : (y = 0 \/ y = "a")
Chosen == x' \in {1, 2} /\ UNCHANGED y /\ \E v \in 1..2 : y' = 0
Either == x' = 3 /\ y' = 1 /\ (x' = 3 \/ x' = "a")
Each == x' = 4 /\ y' = 0 /\ \A v \in 1..2 : (x' = 4 \/ x' = "a")
Next == Chosen \/ Either \/ Each
====
distinct 5, generated 20, depth 2
