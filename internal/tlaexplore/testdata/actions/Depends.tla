---- MODULE Depends ----
\* The value of a constant may not depend on a variable.
EXTENDS Naturals
CONSTANT C
VARIABLE x
Var == x
Init == x = 2
Next == x' = C
====
error
