---- MODULE fold_right ----
EXTENDS SequencesExt, Naturals
Result == FoldRight(LAMBDA x, acc : x - acc, <<10, 3>>, 1)
====
8
