---- MODULE Pure ----
EXTENDS Integers, FiniteSets, TLC
VARIABLE x
Init == x = 1
Next == x' = x + 1

\* Remembered:
Quorum(c) == {q \in SUBSET c : 2 * Cardinality(q) > Cardinality(c)}
Up(n) == \A k \in n..n + 1 : k > n
\* Not, since it depends on more than its argument, or does something else:
Below(c) == {k \in c : k < x}
Random(c) == {k \in c : k = RandomElement(c)}
Logged(c) == {k \in c : PrintT(k)}
\* Only for arguments that are at hand, since these are perhaps not evaluated at all:
Rank(s) == CHOOSE i \in DOMAIN <<"a", "b">> : <<"a", "b">>[i] = s
Of(r) == Rank(r.state)
None(c) == {k \in {} : k > c}
Later(c) == {k \in 1..c : k > 1}
\* Not, since there is no loop:
Twice(n) == 2 * n

Result == <<Quorum({1, 2}), Quorum({1, 2}), None(1 \div 0), Below({0, 5}), Up(2), Of([state |-> "a"]), Of([state |-> "b"]), None([state |-> 1].missing)>>
====
