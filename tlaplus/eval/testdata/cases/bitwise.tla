---- MODULE bitwise ----
EXTENDS Bitwise
Result == <<12 & 10, 12 | 10, 12 ^^ 10, Not(4), shiftR(12, 2)>>
====
<<8, 14, 6, 3, 3>>
