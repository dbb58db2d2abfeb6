---- MODULE Together ----
\* A file may have the modules that its first one needs.
VARIABLE x
I == INSTANCE Behind WITH y <- x, N <- 3
Spec == I!Spec
====
text in between
---- MODULE Behind ----
EXTENDS Naturals
CONSTANT N
VARIABLE y
Spec == y = 0 /\ [][y < N /\ y' = y + 1]_y
====
distinct 4, generated 4, depth 4
