// Package twophase is TwoPhase.tla as a specification that judges recorded traces.
package twophase

import (
	"fmt"

	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/model"
)

// Spec is the specification, as a value.
var Spec = module.Spec()

var module = &model.Model[State, *rmChange]{
	Name: "twophase", Module: "TwoPhase", Source: "TwoPhase.tla",
	Doc:    "A transaction manager has resource managers commit: all of them, or none.",
	New:    func(validators.Config) (*State, error) { return &State{}, nil },
	Tables: []model.Table[State]{rms, tm},
	Next:   []*action{tmRcvPrepared, tmCommit, tmAbort, rmPrepare, rmChooseToAbort, rmRcvCommitMsg, rmRcvAbortMsg},
	Type: validators.RuleDoc{
		Name: "TPTypeOK", Kind: validators.OfType, Doc: "Every variable has its type.",
		Clauses: []string{`rmState \in [RM -> ` + rmStates.Set() + `]`, `tmState \in ` + tmStates.Set(), `tmPrepared \subseteq RM`, `msgs \subseteq Messages`},
	},
	Rules: []model.Judged[State]{&model.Rule[State, RM]{
		RuleDoc: validators.RuleDoc{
			Name: "TCConsistent", Kind: validators.OfInvariant, Doc: "No resource manager aborts where another commits.",
			Clauses: []string{`\A rm1, rm2 \in RM : ~ (rmState[rm1] = "aborted" /\ rmState[rm2] = "committed")`},
		},
		On: rms, Reads: rms.Set(fieldState),
		Broken: func(s *State, id string, r *RM) string {
			if r.State != committed && r.State != aborted || s.in[committed] == 0 || s.in[aborted] == 0 {
				return ""
			}
			return fmt.Sprintf("rm %s is %s, but %d are aborted and %d are committed", id, rmStates[r.State], s.in[aborted], s.in[committed])
		},
	}},
	Temporal: []validators.Temporal{
		{Name: "WF_vars(RMRcvCommitMsg(rm))", Doc: "After Commit each resource manager commits.", Waits: []validators.Wait{waitCommit}},
		{Name: "WF_vars(RMRcvAbortMsg(rm))", Doc: "After Abort each resource manager aborts.", Waits: []validators.Wait{waitAbort}},
		{Name: "TMDecides", Formula: `<>[](tmState # "init")`, Predicate: `tmState # "init"`, Doc: "It decides.", Waits: []validators.Wait{waitDecision}},
	},
	Waits:  []string{waitCommit: rmRcvCommitMsg.Name, waitAbort: rmRcvAbortMsg.Name, waitDecision: "TMDecides"},
	Stream: []model.StreamWait[State]{{For: waitDecision, Is: func(s *State) bool { return s.now().State == undecided }}},
	Gates: []model.Gate[State]{
		{At: ifCommit, Open: func(s *State) bool { return s.now().Sent == commit }},
		{At: ifAbort, Open: func(s *State) bool { return s.now().Sent == abort }},
	},
}

// What a resource manager waits for, and the stream itself.
const (
	waitCommit validators.Wait = iota + 1
	waitAbort
	waitDecision
)

func ifCommit(s *State) *validators.Gate { return &s.ifCommit }
func ifAbort(s *State) *validators.Gate  { return &s.ifAbort }

// The kinds of objects and their fields, as a trace names them.
var (
	kindRM       = trace.NewKind("rm")
	kindTM       = trace.NewSingleton("tm")
	fieldState   = trace.NewField("state")
	fieldSent    = trace.NewField("sent")
	fieldCounted = trace.NewField("counted")
)

// The values of rmState[rm]. Zero is a value outside the type.
const (
	working uint8 = iota + 1
	prepared
	committed
	aborted
)

// What the transaction manager has decided, and what it has sent.
const (
	undecided uint8 = iota + 1
	commit
	abort
)

var (
	rmStates = model.Names{"?", "working", "prepared", "committed", "aborted"}
	tmStates = model.Names{"?", "init", "committed", "aborted"}
	messages = model.Names{"?", "nothing", "Commit", "Abort"}
)

// RM is rmState[rm], whether its "Prepared" is in msgs, and whether it is in tmPrepared.
type RM struct {
	State         uint8
	Sent, Counted bool
}

// TM is tmState, and the message of the transaction manager in msgs.
type TM struct{ State, Sent uint8 }

// State has the variables, and counts of them.
type State struct {
	rms model.Rows[RM]
	tm  model.Rows[TM]

	in                [5]int // how many resource managers are in each state
	all, counted      int    // Cardinality(RM), Cardinality(tmPrepared)
	ifCommit, ifAbort validators.Gate
}

type rmChange = model.Change[RM]

var rms = &model.Kind[State, RM]{
	Kind: kindRM, Rows: func(s *State) *model.Rows[RM] { return &s.rms },
	Init: RM{State: working}, NoDelete: "no action deletes a resource manager (RM is a constant)",
	Columns: []model.Column[State, RM]{
		model.Enum[State](fieldState, rmStates, func(r *RM) *uint8 { return &r.State }),
		model.Bool[State](fieldSent, func(r *RM) *bool { return &r.Sent }),
		model.Bool[State](fieldCounted, func(r *RM) *bool { return &r.Counted }),
	},
	Tally: func(s *State, r *RM, d int) {
		s.all, s.in[r.State] = s.all+d, s.in[r.State]+d
		if r.Counted {
			s.counted += d
		}
	},
	Waits: [][]model.Wait[State, RM]{
		{{For: waitCommit, Status: model.In(working, prepared, aborted), Gate: ifCommit}},
		{{For: waitAbort, Status: model.In(working, prepared, committed), Gate: ifAbort}},
	},
}

var tm = &model.Kind[State, TM]{
	Kind: kindTM, Name: "the transaction manager", Rows: func(s *State) *model.Rows[TM] { return &s.tm },
	Init: TM{undecided, undecided}, NoDelete: "no action deletes the transaction manager",
	Columns: []model.Column[State, TM]{
		model.Enum[State](fieldState, tmStates, func(t *TM) *uint8 { return &t.State }),
		model.Enum[State](fieldSent, messages, func(t *TM) *uint8 { return &t.Sent }),
	},
}

// now is the transaction manager before the step, or on the way through it.
func (s *State) now() *TM { return s.tm.The().Now }

type (
	action = model.Action[State, *rmChange] // the witness is rm, nil where there is none
	clause = model.Clause[State, *rmChange]
	primed = model.Primed[State, *rmChange]
	group  = model.Group[State]
)

// The variables of the module, as columns.
var (
	rmState, tmPrepared, tmState = rms.Of(fieldState), rms.Of(fieldCounted), tm.Of(fieldState)
	msgs                         = []group{rms.Of(fieldSent), tm.Of(fieldSent)} // each message is a column of who sends it
)

func unchanged(text string, of ...group) primed {
	return model.Unchanged[State, *rmChange](text, of...)
}

var tmRcvPrepared = &action{
	Name: "TMRcvPrepared", Doc: "The transaction manager receives that a resource manager is prepared.",
	Some: model.Changed(rms), Guards: []clause{isInit, {
		Text:  `[type |-> "Prepared", rm |-> rm] \in msgs`,
		Holds: func(_ *State, rm **rmChange) bool { return (*rm).Now.Sent },
	}},
	Effect: func(_ *State, rm **rmChange) { (*rm).Write().Counted = true },
	Primed: []primed{
		{Text: `tmPrepared' = tmPrepared \union {rm}`, Of: []group{tmPrepared}},
		unchanged(`UNCHANGED << rmState, tmState, msgs >>`, append(msgs, rmState, tmState)...),
	},
	Stutters: func(s *State) bool { return s.now().State == undecided && s.counted > 0 },
}

var tmCommit = tmDecides("TMCommit", "All are prepared: the transaction manager commits.", commit, isInit, clause{
	Text:  `tmPrepared = RM`,
	Holds: func(s *State, _ **rmChange) bool { return s.counted == s.all },
	Shows: func(s *State, _ **rmChange) string { return fmt.Sprintf("%d of %d", s.counted, s.all) },
})

var tmAbort = tmDecides("TMAbort", "The transaction manager aborts, as it may until it has decided.", abort, isInit)

func tmDecides(name, doc string, what uint8, guards ...clause) *action {
	return &action{
		Name: name, Doc: doc, Guards: guards,
		Effect: func(s *State, _ **rmChange) { *s.tm.The().Write() = TM{what, what} },
		Primed: []primed{
			{Text: fmt.Sprintf(`tmState' = %q`, tmStates[what]), Of: []group{tmState}},
			{Text: fmt.Sprintf(`msgs' = msgs \union {[type |-> %q]}`, messages[what]), Of: msgs},
			unchanged(`UNCHANGED << rmState, tmPrepared >>`, rmState, tmPrepared),
		},
	}
}

var rmPrepare = &action{
	Name: "RMPrepare", Doc: "A resource manager can commit, and says so.",
	Some: model.Changed(rms), Guards: []clause{isWorking},
	Effect: func(_ *State, rm **rmChange) { r := (*rm).Write(); r.State, r.Sent = prepared, true },
	Primed: []primed{
		{Text: `rmState' = [rmState EXCEPT ![rm] = "prepared"]`, Of: []group{rmState}},
		{Text: `msgs' = msgs \union {[type |-> "Prepared", rm |-> rm]}`, Of: msgs},
		unchanged(`UNCHANGED << tmState, tmPrepared >>`, tmState, tmPrepared),
	},
}

var (
	rmChooseToAbort = rmGoes("RMChooseToAbort", "A resource manager aborts before it is prepared.", aborted, isWorking)
	rmRcvCommitMsg  = rmReceives("RMRcvCommitMsg", commit, committed)
	rmRcvAbortMsg   = rmReceives("RMRcvAbortMsg", abort, aborted)
)

// rmGoes is an action of a resource manager that changes its state alone.
func rmGoes(name, doc string, to uint8, guard clause) *action {
	return &action{
		Name: name, Doc: doc, Some: model.Changed(rms), Guards: []clause{guard},
		Effect: func(_ *State, rm **rmChange) { (*rm).Write().State = to },
		Primed: []primed{
			{Text: fmt.Sprintf(`rmState' = [rmState EXCEPT ![rm] = %q]`, rmStates[to]), Of: []group{rmState}},
			unchanged(`UNCHANGED << tmState, tmPrepared, msgs >>`, append(msgs, tmState, tmPrepared)...),
		},
	}
}

// rmReceives: the message may be received again, which changes nothing.
func rmReceives(name string, what, to uint8) *action {
	isSent := func(s *State) bool { return s.now().Sent == what }
	a := rmGoes(name, "A resource manager receives "+messages[what]+".", to, clause{
		Text:  fmt.Sprintf(`[type |-> %q] \in msgs`, messages[what]),
		Holds: func(s *State, _ **rmChange) bool { return isSent(s) },
	})
	a.Stutters = func(s *State) bool { return isSent(s) && s.in[to] > 0 }
	return a
}

var isInit = clause{
	Text:  `tmState = "init"`,
	Holds: func(s *State, _ **rmChange) bool { return s.now().State == undecided },
	Shows: func(s *State, _ **rmChange) string { return "tmState = " + tmStates[s.now().State] },
}

var isWorking = model.Is[State](rms, "rmState[rm]", func(rm **rmChange) *rmChange { return *rm }, working)
