---- MODULE causal_order_cycle ----
EXTENDS Naturals, Sequences, VectorClocks
Event(n, x, y) == [n |-> n, vc |-> [x |-> x, y |-> y]]
Result == CausalOrder(<<Event("x", 1, 0), Event("x", 2, 1), Event("y", 2, 1), Event("x", 3, 1)>>,
    LAMBDA e : e.vc, LAMBDA e : e.n, LAMBDA vc : DOMAIN vc)
====
<<[n |-> "x", vc |-> [x |-> 1, y |-> 0]]>>
