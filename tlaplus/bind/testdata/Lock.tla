---- MODULE Lock ----
\* A lock that nodes ask for, and get in their order.
EXTENDS Naturals, Sequences
CONSTANTS Node, Max
VARIABLES held, queue, count
vars == <<held, queue, count>>
Init == /\ held = {}
        /\ queue = <<>>
        /\ count = [n \in Node |-> 0]
Ask(n) == /\ n \notin held
          /\ \A i \in 1..Len(queue) : queue[i] # n
          /\ queue' = Append(queue, n)
          /\ UNCHANGED <<held, count>>
Grant == /\ held = {}
         /\ queue # <<>>
         /\ held' = {Head(queue)}
         /\ queue' = Tail(queue)
         /\ UNCHANGED count
Release(n) == /\ n \in held
              /\ held' = held \ {n}
              /\ count' = [count EXCEPT ![n] = @ + 1]
              /\ UNCHANGED queue
Reset == /\ queue = <<>>
         /\ count' = [n \in Node |-> 0]
         /\ UNCHANGED <<held, queue>>
Next == Grant \/ Reset \/ \E n \in Node : Ask(n) \/ Release(n)
Bounded == \A n \in Node : count[n] <= Max
Upwards == [][\A n \in Node : count'[n] >= count[n]]_count
Holds(n) == n \in held
====
