---- MODULE factorial ----
EXTENDS Combinatorics
Result == <<factorial[5], choose(5, 2), choose(2, 3)>>
====
<<120, 10, 0>>
