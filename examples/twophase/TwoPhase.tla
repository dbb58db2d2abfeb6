------------------------------ MODULE TwoPhase ------------------------------
(* Two-phase commit after Leslie Lamport: a transaction manager (TM) asks     *)
(* resource managers (RM) to commit. Here it also has fairness.               *)
EXTENDS Integers
CONSTANT RM
VARIABLES
  rmState,    \* the state of each resource manager
  tmState,    \* the state of the transaction manager
  tmPrepared, \* the resource managers from which the TM has a "Prepared" message
  msgs        \* the messages that were sent; none is ever lost or taken away

Messages == [type : {"Prepared"}, rm : RM] \union [type : {"Commit", "Abort"}]

TPTypeOK ==
  /\ rmState \in [RM -> {"working", "prepared", "committed", "aborted"}]
  /\ tmState \in {"init", "committed", "aborted"}
  /\ tmPrepared \subseteq RM
  /\ msgs \subseteq Messages

TPInit ==
  /\ rmState = [rm \in RM |-> "working"]
  /\ tmState = "init"
  /\ tmPrepared = {}
  /\ msgs = {}
-----------------------------------------------------------------------------
TMRcvPrepared(rm) ==
  /\ tmState = "init"
  /\ [type |-> "Prepared", rm |-> rm] \in msgs
  /\ tmPrepared' = tmPrepared \union {rm}
  /\ UNCHANGED << rmState, tmState, msgs >>

TMCommit ==
  /\ tmState = "init"
  /\ tmPrepared = RM
  /\ tmState' = "committed"
  /\ msgs' = msgs \union {[type |-> "Commit"]}
  /\ UNCHANGED << rmState, tmPrepared >>

TMAbort ==
  /\ tmState = "init"
  /\ tmState' = "aborted"
  /\ msgs' = msgs \union {[type |-> "Abort"]}
  /\ UNCHANGED << rmState, tmPrepared >>

RMPrepare(rm) ==
  /\ rmState[rm] = "working"
  /\ rmState' = [rmState EXCEPT ![rm] = "prepared"]
  /\ msgs' = msgs \union {[type |-> "Prepared", rm |-> rm]}
  /\ UNCHANGED << tmState, tmPrepared >>

RMChooseToAbort(rm) ==
  /\ rmState[rm] = "working"
  /\ rmState' = [rmState EXCEPT ![rm] = "aborted"]
  /\ UNCHANGED << tmState, tmPrepared, msgs >>

RMRcvCommitMsg(rm) ==
  /\ [type |-> "Commit"] \in msgs
  /\ rmState' = [rmState EXCEPT ![rm] = "committed"]
  /\ UNCHANGED << tmState, tmPrepared, msgs >>

RMRcvAbortMsg(rm) ==
  /\ [type |-> "Abort"] \in msgs
  /\ rmState' = [rmState EXCEPT ![rm] = "aborted"]
  /\ UNCHANGED << tmState, tmPrepared, msgs >>

TPNext ==
  \/ TMCommit \/ TMAbort
  \/ \E rm \in RM :
       \/ TMRcvPrepared(rm) \/ RMPrepare(rm) \/ RMChooseToAbort(rm)
       \/ RMRcvCommitMsg(rm) \/ RMRcvAbortMsg(rm)
-----------------------------------------------------------------------------
vars == << rmState, tmState, tmPrepared, msgs >>

Fairness ==
  \A rm \in RM : WF_vars(RMRcvCommitMsg(rm)) /\ WF_vars(RMRcvAbortMsg(rm))

TPSpec == TPInit /\ [][TPNext]_vars /\ Fairness

TCConsistent ==
  \A rm1, rm2 \in RM : ~ (rmState[rm1] = "aborted" /\ rmState[rm2] = "committed")

TMDecides == <>[](tmState # "init")
=============================================================================
