---- MODULE Lock ----
\* A lock that one client at a time can hold. Clients wait in a queue.
EXTENDS Naturals, Sequences

CONSTANT Clients

VARIABLES holder, queue

vars == << holder, queue >>

Free == "free"

Init ==
    /\ holder = Free
    /\ queue = << >>

Waits(c) == \E i \in 1..Len(queue) : queue[i] = c

Ask(c) ==
    /\ holder # c
    /\ ~ Waits(c)
    /\ queue' = Append(queue, c)
    /\ UNCHANGED holder

Acquire(c) ==
    /\ holder = Free
    /\ queue # << >>
    /\ Head(queue) = c
    /\ holder' = c
    /\ queue' = Tail(queue)

Release(c) ==
    /\ holder = c
    /\ holder' = Free
    /\ UNCHANGED queue

Next == \E c \in Clients : Ask(c) \/ Acquire(c) \/ Release(c)

Spec == Init /\ [][Next]_vars

TypeOK ==
    /\ holder \in Clients \cup {Free}
    /\ queue \in Seq(Clients)

====
