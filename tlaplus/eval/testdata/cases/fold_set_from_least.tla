---- MODULE fold_set_from_least ----
EXTENDS FiniteSetsExt, Sequences
Result == FoldSet(LAMBDA x, acc : Append(acc, x), <<>>, {3, 1, 2})
====
<<1, 2, 3>>
