---- MODULE PrimeFirst ----
EXTENDS Integers, Sequences, FiniteSets, TLC
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == y' > 0 /\ x' = 1 /\ y' = 1
====
error
