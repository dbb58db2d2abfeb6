---- MODULE bad_division ----
EXTENDS Naturals, Sequences, FiniteSets
Result == <<5, 1 \div 0>>
====
error: bad_division.tla:3:16: 1 is divided by 0
