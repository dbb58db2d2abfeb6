---- MODULE range ----
EXTENDS Functions
Result == Range(<<2, 1, 2>>)
====
{1, 2}
