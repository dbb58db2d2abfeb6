---- MODULE bad_domain ----
EXTENDS Naturals, Sequences, FiniteSets
Result == [x \in 5..6 |-> x][7]
====
error: bad_domain.tla:3:11: the argument 7 is not in the domain of the function (5 :> 5 @@ 6 :> 6)
