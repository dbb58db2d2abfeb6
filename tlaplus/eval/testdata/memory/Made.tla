---- MODULE Made ----
EXTENDS Integers
VARIABLE x
Init == x = 0
Add(n) == x' = x + n
Any == \E n \in 1..3 : Add(n) \/ x' = x - n

One == Add(1)
Two == Add(1) \cdot Add(1)
Three == \E n \in {3} : Any /\ Add(n)

IsOne == [][Add(1)]_x
IsAny == [][Any]_x
IsThree == [][\E n \in 1..4 : n > 2 /\ Add(n)]_x
====
