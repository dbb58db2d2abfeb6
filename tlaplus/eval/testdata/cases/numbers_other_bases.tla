---- MODULE numbers_other_bases ----
EXTENDS Naturals, Sequences, FiniteSets
Result == <<\b101, \o17, \hff>>
====
<<5, 15, 255>>
