---- MODULE Primes ----
EXTENDS Integers, Sequences, FiniteSets, TLC
VARIABLES x, y
Init == x = <<0, 0>> /\ y = 0
Next == /\ x[1] < 3
        /\ x' = [x EXCEPT ![1] = @ + 1]
        /\ (x[1] + 1)' > 1
        /\ y' = (x[1])' * 2
        /\ (x[1] + y)' = 3 * (x[1] + 1)
====
distinct 4, generated 4, depth 4
