---- MODULE reals_extended ----
EXTENDS Reals
Result == 1 + 1
====
2
