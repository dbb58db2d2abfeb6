---- MODULE div_negative ----
EXTENDS Integers
Result == <<(-7) \div 2, (-7) % 2>>
====
<<-4, 1>>
