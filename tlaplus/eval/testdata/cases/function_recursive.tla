---- MODULE function_recursive ----
EXTENDS Naturals, Sequences, FiniteSets
Result == LET f[n \in Nat] == IF n = 0 THEN 1 ELSE n * f[n - 1] IN f[5]
====
120
