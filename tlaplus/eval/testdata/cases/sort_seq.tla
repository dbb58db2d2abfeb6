---- MODULE sort_seq ----
EXTENDS TLC, Naturals
Result == SortSeq(<<3, 1, 2>>, LAMBDA a, b : a > b)
====
<<3, 2, 1>>
