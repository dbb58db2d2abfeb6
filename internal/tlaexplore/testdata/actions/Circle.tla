---- MODULE Circle ----
\* A definition that is itself is no variable.
EXTENDS Naturals
VARIABLE x
RECURSIVE u, v
u == v
v == u
Init == x = 0
Next == \/ x' = 1 /\ x = 0
        \/ x = 1 /\ u' = 2
====
error
