---- MODULE short_and ----
EXTENDS Naturals, Sequences, FiniteSets
Result == FALSE /\ 1 \div 0 = 1
====
FALSE
