---- MODULE arithmetic ----
EXTENDS Integers
Result == <<7 \div 2, 7 % 2, 2^10, 3 - 5>>
====
<<3, 1, 1024, -2>>
