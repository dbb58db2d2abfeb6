---- MODULE Memory ----
EXTENDS Integers, Sequences, FiniteSets, Bags, TLC
VARIABLES log, term, msgs, cell, set

Server == {"a", "b", "c"}
Cells == 1..3
Entry(t, v) == [term |-> t, val |-> v]

Init ==
    /\ log = [s \in Server |-> <<>>]
    /\ term = [s \in Server |-> 1]
    /\ msgs = EmptyBag
    /\ cell = <<0, 0, 0>>
    /\ set = {}

Append1(s) ==
    /\ \E v \in 1..2 : log' = [log EXCEPT ![s] = Append(@, Entry(term[s], v))]
    /\ UNCHANGED <<term, msgs, cell, set>>
Copy(s, t) ==
    /\ Len(log[t]) > Len(log[s])
    /\ log' = [log EXCEPT ![s] = @ \o SubSeq(log[t], Len(@) + 1, Len(log[t]))]
    /\ UNCHANGED <<term, msgs, cell, set>>
Cut(s) ==
    /\ log[s] # <<>>
    /\ log' = [log EXCEPT ![s] = IF Len(@) > 6 THEN <<>> ELSE SubSeq(@, 1, Len(@) - 1)]
    /\ UNCHANGED <<term, msgs, cell, set>>
Change(s) ==
    /\ log[s] # <<>>
    /\ log' = [log EXCEPT ![s][1].val = 3 - @]
    /\ UNCHANGED <<term, msgs, cell, set>>
Raise(s) == term' = [term EXCEPT ![s] = (@ % 4) + 1] /\ UNCHANGED <<log, msgs, cell, set>>
Send(s, t) ==
    /\ msgs' = msgs (+) SetToBag({[from |-> s, to |-> t, term |-> term[s]]})
    /\ UNCHANGED <<log, term, cell, set>>
Receive == \E m \in DOMAIN msgs : msgs' = msgs (-) SetToBag({m}) /\ UNCHANGED <<log, term, cell, set>>
Write(i) == cell' = [cell EXCEPT ![i] = (@ + 1) % 5] /\ UNCHANGED <<log, term, msgs, set>>
Put(i) == set' = (IF i \in set THEN set \ {i} ELSE set \union {i}) /\ UNCHANGED <<log, term, msgs, cell>>

Next ==
    \/ \E s \in Server : Append1(s) \/ Cut(s) \/ Change(s) \/ Raise(s)
    \/ \E s, t \in Server : Copy(s, t) \/ Send(s, t)
    \/ Receive
    \/ \E i \in Cells : Write(i) \/ Put(i) \/ Put(i + 3)

\* Each reads in another way. Some hold, some do not, some end with an error at times.
Matching ==
    \A i, j \in Server :
        \A n \in (1..Len(log[i])) \cap (1..Len(log[j])) :
            log[i][n].term = log[j][n].term => SubSeq(log[i], 1, n) = SubSeq(log[j], 1, n)
Named ==
    \A i \in Server :
        LET mine == log[i]
            count == Len(mine)
        IN \A n \in 1..count : LET e == mine[n] IN \A j \in Server : e.term <= term[j] \/ n > 2
Late ==
    \A i \in Server : LET mine == SubSeq(log[i], 1, Len(log[i])) IN \E j \in Server : \A n \in 1..Len(log[j]) : n <= Len(mine)
Operator ==
    \A i \in Server :
        LET AtMost(x) == \A n \in 1..Len(log[i]) : log[i][n].val <= x
            Twice(F(_), x) == F(x) /\ F(x + 1)
        IN AtMost(1) \/ Twice(AtMost, cell[1])
Cons(x, s) == \A n \in 1..Len(s) : s[n].term # x
Argument == \E i \in Server : Cons(term[i] + 1, log[i]) /\ Cons(cell[2], log[i])
Chosen == \A i \in Server : LET c == CHOOSE k \in 0..4 : \A n \in Cells : cell[n] # k IN \A n \in 1..Len(log[i]) : log[i][n].term # c
Bag == \A m \in DOMAIN msgs : m.term <= term[m.from] /\ msgs[m] <= 2
Pairs == \A <<x, y>> \in set \X set : x = y \/ cell[(x % 3) + 1] <= cell[(y % 3) + 1] + 3
Subsets == \A s \in SUBSET set : \E c \in Cells : c \in s \/ Cardinality(s) < 4
Update == \A i \in Cells : [cell EXCEPT ![i] = IF \A k \in Cells : cell[k] <= @ THEN 9 ELSE @][i] # 9 \/ cell[1] < 4
RECURSIVE Sum(_)
Sum(n) == IF n = 0 THEN 0 ELSE cell[n] + Sum(n - 1)
Recursive == \A n \in Cells : \E k \in 0..7 : Sum(n) = k
fact[n \in Nat] == IF n = 0 THEN cell[1] ELSE n + fact[n - 1]
Function == \A n \in Cells : LET f == [x \in Nat |-> x + cell[n]] IN \A k \in Cells : f[k] <= 6 /\ fact[k] < 9
Instances(n) == INSTANCE Part WITH N <- n, Of <- log["a"]
Instance == \A n \in Cells : Instances(n + 1)!Below \/ Instances(cell[n])!Shared(log["b"])
Wrong == \A i \in Server : \A n \in 1..3 : cell[n] < 3 \/ log[i][n].val > 0
Kinds == \E i \in Server : \E x \in set : x = 5 /\ (cell[1] = 4 => x = i)
Level == \A i \in Cells : TLCGet("level") % 7 # cell[i] + 2
Enabled == \A i \in Cells : \E s \in Server : ENABLED Cut(s) \/ cell[i] < 3
Filtered == {i \in Server : \E n \in 1..Len(log[i]) : log[i][n].val = 2} # Server
Shifted == {i \in set : LET Has(x) == \E n \in Cells : cell[n] = x + (i % 3) IN Has(1)} # {2}
Inner == {i \in set : LET Less(x) == x <= i IN \A n \in Cells : Less(cell[n])} # {4}
Test(F(_)) == \A n \in Cells : F(cell[n])
Higher == {i \in set : Test(LAMBDA x : x <= i)} # {4}
Whole == log["a"] # log["b"] \/ \A i \in Cells : cell[i] = 0 \/ set = {}
Kept == \A i \in Server : LET ones == {n \in DOMAIN log[i] : log[i][n].val = 1} IN \A j \in Server : Cardinality(ones) <= 2 \/ 1 \in {n \in 1..Len(log[j]) : log[j][n].term = term[i]}
Tuples == {<<i, n>> \in Server \X Cells : n \in DOMAIN log[i] /\ log[i][n].val = cell[n]} # {<<"a", 1>>}
Both == \A i, j \in Server : {n \in (1..Len(log[i])) \cap (1..Len(log[j])) : log[i][n] = log[j][n]} \subseteq set \union 1..2
Failing == \E i \in Server : {n \in 1..cell[1] : log[i][n].val = 2} = {n \in set : log[i][n].val = 2}
Counted == {m \in DOMAIN msgs : msgs[m] > 1} = {} \/ {x \in {1, 2, 3} : x > cell[x]} # {}

\* What a value is: with sets of constants, and of others.
Entries == Seq([term : 1..4, val : {1, 2}])
Typed ==
    /\ log \in [Server -> Entries]
    /\ term \in [Server -> 1..4]
    /\ cell \in Seq(0..4) /\ cell \in [Cells -> 0..4]
    /\ set \in SUBSET (1..6) /\ set \subseteq Cells \union 4..6
Narrower ==
    /\ log \in [Server -> Seq([term : 1..3, val : {1, 2}])]
    /\ set \subseteq 1..5
    /\ term \in [Server -> 1..3]
Cells2 == {<<i, k>> : i \in Cells, k \in 0..3}
Places == {<<i, cell[i]>> : i \in Cells} \in SUBSET Cells2
Odd == set \subseteq {1, 2, 3, 4, "x"}
Odder == term["a"] < 4 /\ set \in SUBSET {1, 2, 3, 4, 5, "x"}
Before == cell[1] < 3 /\ log["a"][1].val > 0
Behind == (Before /\ cell[2] < 4) /\ Narrower
Excluded == cell \notin [Cells -> 0..3] \/ term \notin [Server -> {2, 3}]
In(x, S) == x \in S
Passed == In(term, [Server -> 1..3]) \/ In(cell[1], {cell[2], 1}) \/ In(set, SUBSET (1..cell[3]))
Infinite == cell \in [Cells -> {n \in Nat : n < 4}] \/ cell \in [Cells -> {n \in Nat : n < cell[1] + 2}]
Locals == LET even == {n \in 1..6 : n % 2 = 0} IN \A i \in Cells : LET mine == {n \in 1..6 : n % 2 = i % 2} IN set \cap even # {2 * i} \/ cell[i] \in mine
Fixed == \A i \in Cells : [k \in Cells |-> k][i] = i /\ [k \in Cells |-> k + i][1] > i /\ cell # [k \in Cells |-> 1]
RECURSIVE Down(_)
Down(n) == IF n = 0 THEN {} ELSE {n} \union Down(n - 1)
Grown == \A i \in Cells : set # Down(i) \/ cell[i] \in Down(3)
Records == \A m \in DOMAIN msgs : m \in [from : Server, to : Server, term : 1..3]
Element == \A i \in Server : term[i] \in 1..3 /\ \A c \in Cells : cell[c] \in 0..3 \/ log[i] = <<>>
\* Elements of sets are exchanged, added and taken out.
Swap(f, S) == {IF t \in DOMAIN f THEN f[t] ELSE t : t \in S}
Plus == [t \in {3, 4} |-> t + cell[1]]
Exchanged == Swap(Plus, set) # {1, 2, cell[2] + 3} /\ Cardinality(Swap(Plus, set)) + 1 >= Cardinality(set)
Turned == {IF i \in {1, 2} THEN IF cell[1] = 3 THEN "x" ELSE i ELSE i : i \in 1..3 \ {cell[2]}} # {1, 2, 4}
Broken == {IF i \in set THEN log["a"][i].val ELSE i : i \in {1, 2, 3, 4, 5, 6}} # {1, 2}
Strange == {IF i \in {"x"} THEN 1 ELSE i : i \in set} = {}
Dup == {IF m \in {x \in DOMAIN msgs : x.term = 1} THEN [m EXCEPT !.term = cell[3]] ELSE m : m \in DOMAIN msgs} # {}
All == \A i \in set : i < 6 \/ cell[1] < 4
AllPairs == \A i \in set : \A k \in set : i + k < 12 \/ cell[(i % 3) + 1] = 0
TwoBounds == Cardinality(set) < 5 /\ \A i \in Cells, n \in {1, 2} : cell[i] < 4 \/ n = 1
Foreign == \E m \in DOMAIN msgs : m.term > term[m.to] \/ m.from = m.to
====
