---- MODULE UnchangedParts ----
\* UNCHANGED of a tuple is about each part by itself, also where a name stands for the tuple.
EXTENDS Naturals
VARIABLES x, y, z
one == 1
sum == y + 1
parts == <<x, <<one, y>>, z>>
late == <<x, y, sum, z>>
Init == x = 0 /\ y = 0 /\ z = 0
Next == \/ y < 2 /\ y' = y + 1 /\ UNCHANGED <<x, one, z>>
        \/ UNCHANGED parts
        \/ UNCHANGED late
        \/ z' = 1 /\ UNCHANGED <<y, sum, x>>
====
distinct 6, generated 23, depth 4
