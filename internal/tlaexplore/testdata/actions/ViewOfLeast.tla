---- MODULE ViewOfLeast ----
EXTENDS Integers, Sequences, FiniteSets, TLC
CONSTANTS P, None
VARIABLES c, f, h, q
Init == c \in 0..1 /\ f \in [P -> 0..1] /\ h = None /\ q = <<>>
A0(p) == (h = None) /\ (h = None) /\ (f' = [f EXCEPT ![p] = (@ + 1) % 3]) /\ (h' = CHOOSE o \in P : TRUE) /\ (c' = 0) /\ (q' = IF Len(q) < 2 THEN Append(q, p) ELSE <<p>>)
A1(p) == (f[p] = 0) /\ (q' = <<>>) /\ (c' = 1 - (c % 2)) /\ (h' = p) /\ UNCHANGED <<f>>
A2(p) == (f[p] = 0) /\ (\E o \in P : f' = [f EXCEPT ![p] = f[o], ![o] = f[p]]) /\ (h' = CHOOSE o \in P : TRUE) /\ (q' = <<>>) /\ (c' = 1 - (c % 2))
A3(p) == (h = p) /\ (q' = SelectSeq(q, LAMBDA o : o # p)) /\ (h' = IF h = None THEN p ELSE None) /\ (c' \in 0..1) /\ (f' = [f EXCEPT ![p] = (@ + 1) % 3])
Next == \E p \in P : A0(p) \/ A1(p) \/ A2(p) \/ A3(p)
Sym == Permutations(P)
View == <<h, q, c>>
====
distinct 34, generated 298, depth 8
