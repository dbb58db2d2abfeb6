---- MODULE LockProperty ----
\* The same question as a property, in two forms.
EXTENDS LockTrace

FairSpec == TraceSpec /\ WF_<<l, vars>>(TraceNext)

Consumed == <>[](l > Len(Log))

NotStuck == [](l <= Len(Log) => [](TLCGet("queue") # 0 \/ l > Len(Log)))

NeverTwoWait == Len(queue) < 2

NoHandover == [][holder = "free" \/ holder' = "free" \/ holder' = holder]_vars

OnlyAnna == [][holder' # "bert"]_vars

====
