---- MODULE seq_member ----
EXTENDS Naturals, Sequences, FiniteSets
Result == <<1, 2>> \in Seq(Nat)
====
TRUE
