---- MODULE fold_function_from_least ----
EXTENDS Functions, Sequences
Result == FoldFunction(LAMBDA x, acc : Append(acc, x), <<>>, <<5, 6>>)
====
<<5, 6>>
