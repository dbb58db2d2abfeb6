---- MODULE fold_left ----
EXTENDS SequencesExt
Result == FoldLeft(LAMBDA acc, x : acc - x, 10, <<1, 2>>)
====
7
