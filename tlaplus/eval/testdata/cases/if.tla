---- MODULE if ----
EXTENDS Naturals, Sequences, FiniteSets
Result == IF 1 < 2 THEN "a" ELSE 1 \div 0
====
"a"
