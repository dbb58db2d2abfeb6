---- MODULE NoneWithin ----
EXTENDS Integers, Sequences, FiniteSets, TLC
CONSTANTS P, None
VARIABLES c, h
Init == c = 0 /\ h = None
A0(p) == (c = 1) /\ (h' = IF h = None THEN p ELSE None) /\ UNCHANGED <<c>>
A1(p) == (h = None) /\ (c = 1) /\ (h' \in P) /\ (c' = 0)
A2(p) == (h = p) /\ (c = 1) /\ (h' = CHOOSE o \in P : TRUE) /\ (c' \in 0..1)
A3(p) == (c = 1) /\ (c < 2) /\ (h' = None) /\ (c' = 0)
Next == \E p \in P : A0(p) \/ A1(p) \/ A2(p) \/ A3(p)
Sym == Permutations(P)
Con == c < 2
Con2 == h # None
ACon == h # None \/ c' # c
View == <<c>>
====
distinct 0, generated 1, depth 1
