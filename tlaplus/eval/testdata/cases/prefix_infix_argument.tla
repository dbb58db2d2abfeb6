---- MODULE prefix_infix_argument ----
EXTENDS Naturals, Sequences, FiniteSets
Apply(Op(_, _), a, b) == Op(a, b)
Result == Apply(+, 2, 3)
====
5
