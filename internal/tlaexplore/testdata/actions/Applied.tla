---- MODULE Applied ----
\* A specification may be an argument of an operator, of one of a LET, and of an instance with
\* parameters.
EXTENDS Naturals
VARIABLE x
  ---- MODULE Ring ----
  VARIABLE n
  Init == x \in 0..(n - 1)
  Next == x' = (x + 1) % n
  Spec == Init /\ [][Next]_<<x, n>>
  ====
R(n) == INSTANCE Ring
Id(f) == f
Spec == LET Same(f) == Id(f) IN Same(R(5)!Spec)
====
distinct 5, generated 10, depth 1
