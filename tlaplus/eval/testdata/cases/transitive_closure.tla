---- MODULE transitive_closure ----
EXTENDS Relation, Naturals
Result == TransitiveClosure([p \in (1..3) \X (1..3) |-> p[2] = p[1] + 1], 1..3)[1, 3]
====
TRUE
