---- MODULE Broken ----
\* Invariants are of each state that a step reaches, also where a constraint lets no step go on.
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == x' = x + 1 /\ (y' = y \/ (x = 1 /\ y' = 2))
Holds == y = 0 \/ x > 1
WithinLimit == y < 2
NeverThree == ENABLED (x' = x /\ x # 3)
Small == x < 5
Constraint == WithinLimit /\ x < 4
====
distinct 4, generated 6, depth 4, violates WithinLimit, violates NeverThree
