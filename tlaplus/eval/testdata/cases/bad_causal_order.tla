---- MODULE bad_causal_order ----
EXTENDS Naturals, Sequences, VectorClocks
Event(n, x, y) == [n |-> n, vc |-> [x |-> x, y |-> y]]
Result == CausalOrder(<<Event("x", 1, 0), Event("x", 2, 2), Event("y", 0, 1)>>,
    LAMBDA e : e.vc, LAMBDA e : e.n, LAMBDA vc : DOMAIN vc)
====
error: bad_causal_order.tla:4:11: CausalOrder: a vector clock has the time 2 of "y", which has 1 events
