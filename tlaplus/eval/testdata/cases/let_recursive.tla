---- MODULE let_recursive ----
EXTENDS Naturals, Sequences, FiniteSets
Result == LET RECURSIVE Fact(_) Fact(n) == IF n = 0 THEN 1 ELSE n * Fact(n - 1) IN Fact(10)
====
3628800
