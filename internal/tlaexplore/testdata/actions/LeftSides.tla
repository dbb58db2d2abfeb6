---- MODULE LeftSides ----
EXTENDS Integers
\* The left side of an assignment, or what is UNCHANGED, may be a LET, a label, or a definition
\* that means a variable. Each value of k is one way to write it.
VARIABLES a, b, k

---- MODULE Inner ----
VARIABLE v
Plain == v
Primed == v'
Within == LET y == v' IN y
====

Outer == INSTANCE Inner WITH v <- a

Self(x) == x
Equal(x) == x = 1
D == a
E == D
F == LET y == a IN y
P == a'
Q == LET y == a' IN y
R == Q

Init == /\ k \in 1 .. 30
        /\ (LET y == F IN y) \in {0, 2}
        /\ (name:: b) = 0

Step ==
    \/ k = 1 /\ D' = 1
    \/ k = 2 /\ E' = 1
    \/ k = 3 /\ F' = 1
    \/ k = 4 /\ P = 1
    \/ k = 5 /\ Q = 1
    \/ k = 6 /\ R \in {1, 3}
    \/ k = 7 /\ (LET y == a IN y)' = 1
    \/ k = 8 /\ (LET y == a' IN y) = 1
    \/ k = 9 /\ (LET y == a IN y') = 1
    \/ k = 10 /\ LET y == a IN y' = 1
    \/ k = 11 /\ LET y == a' IN y = 1
    \/ k = 12 /\ (LET y == D IN y)' = 1
    \/ k = 13 /\ (one:: a)' = 1
    \/ k = 14 /\ (two:: (a')) = 1
    \/ k = 15 /\ Equal(P)
    \/ k = 16 /\ (LET y == a' IN y) \in {1, 2}
    \/ k = 17 /\ (LET y == a' IN LET z == y IN z) = 1
    \/ k = 18 /\ \E q \in {1, 2} : (LET y == a' IN y) = q
    \/ k = 19 /\ Outer!Plain' = 1
    \/ k = 20 /\ Outer!Primed = 1
    \/ k = 21 /\ Outer!Within \in {1, 2}
    \/ k = 22 /\ UNCHANGED (LET y == a IN y)
    \/ k = 23 /\ UNCHANGED (three:: a)
    \/ k = 24 /\ UNCHANGED F
    \/ k = 25 /\ UNCHANGED <<F>>
    \/ k = 26 /\ Equal((LET y == a' IN y))
    \/ k = 27 /\ Equal(Q)
    \/ k = 28 /\ ENABLED (F' = 1 /\ Q = 1) /\ a' = 3
    \/ k = 29 /\ ENABLED (UNCHANGED F /\ R = 3) /\ a' = 4
    \/ k = 30 /\ ~ENABLED (Equal(Q) /\ F' = 2) /\ a' = 5

Next == b < 1 /\ Step /\ b' = b + 1 /\ UNCHANGED k
====
distinct 97, generated 126, depth 2
