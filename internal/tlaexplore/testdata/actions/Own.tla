---- MODULE Own ----
\* ENABLED in a module that is an instance is about the module's own variables.
EXTENDS Naturals
VARIABLES z, w
  ---- MODULE Inner ----
  EXTENDS Naturals
  VARIABLES x, y
  vars == <<x, y>>
  A == x' = x + 1 /\ y' = x'
  B == x' \in {x, x + 1} /\ UNCHANGED y
  C == x' = 0 /\ UNCHANGED vars
  D == UNCHANGED x /\ y' = 3
  T(k) == CASE k = 1 -> ENABLED A [] k = 2 -> ENABLED (B /\ x' = x) [] k = 3 -> ENABLED C
            [] k = 4 -> ENABLED D [] k = 5 -> ENABLED <<A>>_vars [] k = 6 -> ENABLED <<C>>_vars
            [] OTHER -> ENABLED (x' = 5 /\ y' = 6 /\ <<x, y>>' = <<5, 6>>)
  ====
I == INSTANCE Inner WITH x <- z, y <- z
J == INSTANCE Inner WITH x <- z + 1, y <- z * 2
K(n) == INSTANCE Inner WITH x <- z + n, y <- w
Enabled(P) == ENABLED P
Init == z = 0 /\ w \in {0, 3}
Next == \/ \E k \in 1..7 : /\ I!T(k)
                           /\ z' = k /\ UNCHANGED w
        \/ \E k \in 1..7 : /\ J!T(k)
                           /\ z' = 10 * k /\ z < 9 /\ UNCHANGED w
        \/ \E k \in 1..7 : /\ K(2)!T(k)
                           /\ z' = 100 * k /\ z < 99 /\ UNCHANGED w
        \/ ENABLED (I!A) /\ z' = 5000 /\ UNCHANGED w
        \/ ENABLED (I!C) /\ z' = 6000 /\ UNCHANGED w
        \/ Enabled(w' = 1) /\ z' = 7000 /\ UNCHANGED w
====
distinct 40, generated 476, depth 2
