---- MODULE Part ----
EXTENDS Integers, Sequences
CONSTANT N, Of
Below == \A k \in 1..Len(Of) : Of[k].term <= N
Shared(s) == \E k \in 1..Len(Of) : \A j \in 1..Len(s) : s[j].term # Of[k].term + N
====
