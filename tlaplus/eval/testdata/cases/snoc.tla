---- MODULE snoc ----
EXTENDS SequencesExt
Result == Snoc(3, <<1, 2>>)
====
<<1, 2, 3>>
