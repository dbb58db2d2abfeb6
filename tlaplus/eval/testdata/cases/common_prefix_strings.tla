---- MODULE common_prefix_strings ----
EXTENDS SequencesExt
Result == LongestCommonPrefix({"abc", "abd"})
====
"ab"
