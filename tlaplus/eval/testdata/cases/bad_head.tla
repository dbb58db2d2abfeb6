---- MODULE bad_head ----
EXTENDS Naturals, Sequences, FiniteSets
Result == Head(<<>>)
====
error: bad_head.tla:3:11: Head of the empty sequence
