---- MODULE LockLevel ----
\* Follows a log of the lock without a variable for the line: by the level.
EXTENDS Lock, TLC, Json, IOUtils

Log == ndJsonDeserialize(IOEnv.JSON)

TraceClients == { Log[i].client : i \in 1..Len(Log) }

LevelSpec == Init /\ [][Next]_vars

FollowsLog ==
    LET i == TLCGet("level") IN
    /\ i <= Len(Log)
    /\ LET e == Log[i] IN
        \/ e.event = "ask" /\ Ask(e.client)
        \/ e.event = "acquire" /\ Acquire(e.client)
        \/ e.event = "release" /\ Release(e.client)

View == <<vars, TLCGet("level")>>

Accepted == TLCGet("stats").diameter - 1 = Len(Log)

====
