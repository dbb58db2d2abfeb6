---- MODULE LockTrace ----
\* Follows a log of the lock: each line is an event with its client.
EXTENDS Lock, TLC, Json, IOUtils

Log == ndJsonDeserialize(IOEnv.JSON)

TraceClients == { Log[i].client : i \in 1..Len(Log) }

VARIABLE l

IsEvent(e) ==
    /\ l <= Len(Log)
    /\ Log[l].event = e
    /\ l' = l + 1

IsAsk == IsEvent("ask") /\ Ask(Log[l].client)

IsAcquire == IsEvent("acquire") /\ Acquire(Log[l].client)

IsRelease ==
    /\ IsEvent("release")
    /\ Release(Log[l].client)
    /\ "waiting" \in DOMAIN Log[l] => Len(queue') = Log[l].waiting

TraceInit == l = 1 /\ Init

TraceNext == IsAsk \/ IsAcquire \/ IsRelease

TraceSpec == TraceInit /\ [][TraceNext]_<<l, vars>>

TraceAccepted == TLCGet("stats").diameter - 1 = Len(Log)

====
