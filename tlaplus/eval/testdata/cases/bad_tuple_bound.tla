---- MODULE bad_tuple_bound ----
EXTENDS Naturals, Sequences, FiniteSets
Result == {a : <<a, b>> \in {<<1, 2, 3>>}}
====
error: bad_tuple_bound.tla:3:29: <<1, 2, 3>> is not a tuple of 2 elements, as the bound names are
