---- MODULE causal_order ----
EXTENDS Naturals, Sequences, VectorClocks
Event(n, x, y) == [n |-> n, vc |-> [x |-> x, y |-> y]]
Result == CausalOrder(<<Event("x", 2, 1), Event("y", 1, 1), Event("x", 1, 0)>>,
    LAMBDA e : e.vc, LAMBDA e : e.n, LAMBDA vc : DOMAIN vc)
====
<<[n |-> "x", vc |-> [x |-> 1, y |-> 0]], [n |-> "y", vc |-> [x |-> 1, y |-> 1]], [n |-> "x", vc |-> [x |-> 2, y |-> 1]]>>
