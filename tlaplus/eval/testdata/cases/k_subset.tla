---- MODULE k_subset ----
EXTENDS FiniteSetsExt
Result == kSubset(2, {1, 2, 3})
====
{{1, 2}, {1, 3}, {2, 3}}
