---- MODULE bad_member ----
EXTENDS Naturals, Sequences, FiniteSets
Result == "a" \in Nat
====
error: bad_member.tla:3:11: "a" is not an integer, and cannot be compared with the elements of Nat
