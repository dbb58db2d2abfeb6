---- MODULE least ----
EXTENDS Integers
Result == -2147483647 - 1
====
-2147483648
