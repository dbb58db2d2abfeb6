---- MODULE short_or ----
EXTENDS Naturals, Sequences, FiniteSets
Result == TRUE \/ 1 \div 0 = 1
====
TRUE
