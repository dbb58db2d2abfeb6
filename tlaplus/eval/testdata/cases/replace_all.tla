---- MODULE replace_all ----
EXTENDS SequencesExt
Result == ReplaceAllSubSeqs(<<9>>, <<1, 1>>, <<1, 1, 1, 2>>)
====
<<9, 1, 2>>
