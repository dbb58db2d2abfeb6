---- MODULE bad_tail ----
EXTENDS Naturals, Sequences, FiniteSets
Result == Tail(<<>>)
====
error: bad_tail.tla:3:11: Tail of the empty sequence
