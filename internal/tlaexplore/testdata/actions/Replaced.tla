---- MODULE Replaced ----
\* What a cfg gives for operators that are symbols, and for one of a standard module.
EXTENDS Integers, Sequences
CONSTANTS _++_, Plus(_, _)
VARIABLE x
Pair(a, b) == <<a, b>>
Few == 0..2
Init == x = <<>>
Next == /\ Len(x) < 4
        /\ x' \in {x \o (1 ++ n) : n \in Nat} \cup {<<Plus(1, 2)>>}
====
distinct 26, generated 33, depth 4
