---- MODULE replace_first_string ----
EXTENDS SequencesExt
Result == ReplaceFirstSubSeq("x", "b", "abab")
====
"axab"
