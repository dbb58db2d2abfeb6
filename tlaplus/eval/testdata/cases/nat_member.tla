---- MODULE nat_member ----
EXTENDS Integers
Result == <<0 \in Nat, (-1) \in Nat, (-1) \in Int>>
====
<<TRUE, FALSE, TRUE>>
