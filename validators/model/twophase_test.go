package model_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/model"
	"tracecheck/validators/validatorstest"
)

// Two-phase commit without messages, as the smallest spec: nodes are resource
// managers, the cluster is the transaction manager.

type vote uint8

const (
	_ vote = iota
	working
	prepared
	committed
	aborted
)

var votes = model.Names{"?", "working", "prepared", "committed", "aborted"}

type manager struct{ State vote }

type commit struct {
	rms model.Rows[manager]
	tm  model.Rows[manager]

	unprepared int // resource managers that are not prepared
}

func column() []model.Column[commit, manager] {
	return []model.Column[commit, manager]{
		model.Enum[commit](fieldState, votes, func(m *manager) *vote { return &m.State }),
	}
}

var rms = &model.Kind[commit, manager]{
	Kind: kindNode, Rows: func(s *commit) *model.Rows[manager] { return &s.rms },
	Init: manager{working}, NoDelete: "resource managers stay", Columns: column(),
	Tally: func(s *commit, m *manager, d int) {
		if m.State != prepared {
			s.unprepared += d
		}
	},
	What: func(_ *commit, c *model.Change[manager]) string {
		return fmt.Sprintf("%s goes from %s to %s", c.ID, votes[c.Old.State], votes[c.New.State])
	},
}

var tm = &model.Kind[commit, manager]{
	Kind: kindCluster, Name: "the transaction manager", Rows: func(s *commit) *model.Rows[manager] { return &s.tm },
	Init: manager{working}, NoDelete: "the transaction manager stays", Columns: column(),
	What: func(_ *commit, c *model.Change[manager]) string {
		return fmt.Sprintf("tmState goes from %s to %s", votes[c.Old.State], votes[c.New.State])
	},
}

type (
	action = model.Action[commit, *model.Change[manager]]
	clause = model.Clause[commit, *model.Change[manager]]
	primed = model.Primed[commit, *model.Change[manager]]
	group  = model.Group[commit]
)

func someRM(s *commit, try func(*model.Change[manager]) bool) {
	for _, rm := range s.rms.Changed() {
		if try(rm) {
			return
		}
	}
}

func once(_ *commit, try func(*model.Change[manager]) bool) { try(nil) }

func rmIs(want ...vote) clause {
	return clause{Text: "rmState[rm] is one of " + fmt.Sprint(want), Holds: func(_ *commit, rm **model.Change[manager]) bool {
		return slices.Contains(want, (*rm).Now.State)
	}}
}

func tmIs(want vote) clause {
	return clause{Text: "tmState = " + votes[want], Holds: func(s *commit, _ **model.Change[manager]) bool { return s.tm.The().Now.State == want }}
}

func rmAction(name string, to vote, guards ...clause) *action {
	return &action{
		Name: name, Some: someRM, Guards: guards,
		Effect: func(_ *commit, rm **model.Change[manager]) { (*rm).Write().State = to },
		Primed: []primed{
			{Text: "rmState' = [rmState EXCEPT ![rm] = " + votes[to] + "]", Of: []group{rms.Of(fieldState)}},
			model.Unchanged[commit, *model.Change[manager]]("UNCHANGED tmState", tm.Of(fieldState)),
		},
	}
}

func tmAction(name string, to vote, guards ...clause) *action {
	return &action{
		Name: name, Some: once, Guards: guards,
		Effect: func(s *commit, _ **model.Change[manager]) { s.tm.The().Write().State = to },
		Primed: []primed{
			{Text: "tmState' = " + votes[to], Of: []group{tm.Of(fieldState)}},
			model.Unchanged[commit, *model.Change[manager]]("UNCHANGED rmState", rms.Of(fieldState)),
		},
	}
}

var twophase = (&model.Model[commit, *model.Change[manager]]{
	Name: "twophase", Module: "TwoPhase",
	Type:   validators.RuleDoc{Name: "TypeOK", Kind: validators.OfType},
	New:    func(validators.Config) (*commit, error) { return &commit{}, nil },
	Tables: []model.Table[commit]{rms, tm},
	Next: []*action{
		rmAction("RMPrepare", prepared, rmIs(working)),
		rmAction("RMChooseToAbort", aborted, rmIs(working)),
		tmAction("TMCommit", committed, tmIs(working), clause{
			Text: "all are prepared", Holds: func(s *commit, _ **model.Change[manager]) bool { return s.unprepared == 0 },
		}),
		tmAction("TMAbort", aborted, tmIs(working)),
		rmAction("RMRcvCommitMsg", committed, tmIs(committed)),
		rmAction("RMRcvAbortMsg", aborted, tmIs(aborted)),
	},
}).Spec()

// The oracle: the same, said another way.

type global struct {
	rm [3]string
	tm string
}

func (g global) successors() map[string][]global {
	next := map[string][]global{}
	add := func(name string, to global) { next[name] = append(next[name], to) }
	if g.tm == "working" {
		to := g
		to.tm = "aborted"
		add("TMAbort", to)
		if to.tm = "committed"; g.rm == [3]string{"prepared", "prepared", "prepared"} {
			add("TMCommit", to)
		}
	}
	for i, was := range g.rm {
		to := g
		if was == "working" {
			to.rm[i] = "prepared"
			add("RMPrepare", to)
			to.rm[i] = "aborted"
			add("RMChooseToAbort", to)
		}
		if to.rm[i] = g.tm; g.tm == "committed" {
			add("RMRcvCommitMsg", to)
		} else if g.tm == "aborted" {
			add("RMRcvAbortMsg", to)
		}
	}
	return next
}

// within says that an object in which the two are the same is so on the way.
func (g global) within(from, to global) bool {
	for i := range g.rm {
		if from.rm[i] == to.rm[i] && g.rm[i] != from.rm[i] {
			return false
		}
	}
	return from.tm != to.tm || g.tm == from.tm
}

// reaches says that some actions lead from one to the other.
func (g global) reaches(to global) bool {
	seen, todo := map[global]bool{g: true}, []global{g}
	for ; len(todo) > 0; todo = todo[1:] {
		if todo[0] == to {
			return true
		}
		for _, list := range todo[0].successors() {
			for _, n := range list {
				if n.within(g, to) && !seen[n] {
					seen[n] = true
					todo = append(todo, n)
				}
			}
		}
	}
	return false
}

func globals() (list []global) {
	states := []string{"working", "prepared", "committed", "aborted"}
	for _, a := range states {
		for _, b := range states {
			for _, c := range states {
				for _, tm := range []string{"working", "committed", "aborted"} {
					list = append(list, global{[3]string{a, b, c}, tm})
				}
			}
		}
	}
	return list
}

func (g global) events(t *testing.T, op string) []trace.Event {
	t.Helper()
	lines := []string{fmt.Sprintf(`{"kind":"cluster","op":%q,"object":{"state":%q}}`, op, g.tm)}
	for i, s := range g.rm {
		lines = append(lines, fmt.Sprintf(`{"kind":"node","op":%q,"id":"r%d","object":{"state":%q}}`, op, i, s))
	}
	return validatorstest.Events(t, lines...)
}

func machineIn(t *testing.T, g global, c validators.Config) validators.Machine {
	t.Helper()
	m, err := twophase.New(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, ev := range g.events(t, "snapshot") {
		m.Snapshot(&ev)
	}
	if found := m.SnapshotsEnd(); len(found) > 0 {
		t.Fatal(found)
	}
	return m
}

// TestPairs: of every ordered pair of states, whether it is an atomic or a
// batched step, and by which actions, is what the oracle says.
func TestPairs(t *testing.T) {
	list := globals()
	steps, batched := 0, 0
	for i, from := range list {
		next := from.successors()
		for k, to := range list {
			if !exhaustive.Asked() && (i+k)%11 != 0 {
				continue
			}
			step := &trace.Step{Events: to.events(t, "update")}
			m := machineIn(t, from, validators.Config{})
			found, judged, err := m.Step(step)
			if err != nil || !judged {
				t.Fatal(judged, err)
			}
			by := strings.Join(m.Explanation(), " ")
			want := from == to
			for name, targets := range next {
				if is := slices.Contains(targets, to); is && by == name {
					want = true
				} else if by == name && from != to {
					t.Fatalf("%v to %v: explained by %s", from, to, by)
				}
			}
			isStep := from == to
			for _, targets := range next {
				isStep = isStep || slices.Contains(targets, to)
			}
			if got := len(found) == 0; got != isStep || got != want {
				t.Fatalf("%v to %v: a step %v by %q, want %v", from, to, got, by, isStep)
			}
			if isStep {
				steps++
			}
			m = machineIn(t, from, validators.Config{Steps: validators.Batched, Budget: 100000})
			found, _, err = m.Step(step)
			if want := from.reaches(to); err != nil || (len(found) == 0) != want {
				t.Fatalf("%v to %v: batched %v %v, want %v", from, to, found, err, want)
			} else if want {
				batched++
				if !explains(from, to, m.Explanation()) {
					t.Fatalf("%v to %v: not explained by %v", from, to, m.Explanation())
				}
			}
		}
	}
	if steps < 30 || batched < 2*steps {
		t.Errorf("%d steps, %d batched", steps, batched)
	}
}

// explains says that the actions, in their order, may lead from one to the other.
func explains(from, to global, names []string) bool {
	at := map[global]bool{from: true}
	for _, name := range names {
		next := map[global]bool{}
		for g := range at {
			for _, n := range g.successors()[name] {
				next[n] = true
			}
		}
		at = next
	}
	return at[to]
}

// TestBudgetEnds: a search that runs out of its budget is no verdict.
func TestBudgetEnds(t *testing.T) {
	from := global{[3]string{"working", "working", "working"}, "working"}
	to := global{[3]string{"committed", "committed", "committed"}, "committed"}
	m := machineIn(t, from, validators.Config{Steps: validators.Batched, Budget: 3})
	if _, _, err := m.Step(&trace.Step{Events: to.events(t, "update")}); err == nil || !strings.Contains(err.Error(), "--budget") {
		t.Errorf("%v; want an error that names --budget", err)
	}
}

// TestBatchedClaims: some action of the sequence is what a line claims, and
// changes its object.
func TestBatchedClaims(t *testing.T) {
	from := global{[3]string{"working", "working", "prepared"}, "working"}
	for _, c := range []struct{ line, claim, want string }{
		{`"id":"r0"`, "RMPrepare", ""},
		{`"id":"r0"`, "RMRcvAbortMsg", ""},
		{`"id":"r1"`, "RMRcvCommitMsg", "r1 claims the action RMRcvCommitMsg"},
		{`"id":"r1"`, "Prepare", `has no action "Prepare"`},
	} {
		lines := []string{
			`{"kind":"cluster","op":"update","object":{"state":"aborted"}}`,
			`{"kind":"node","op":"update","id":"r0","object":{"state":"aborted"}}`,
			`{"kind":"node","op":"update","id":"r1","object":{"state":"aborted"}}`,
		}
		for i := range lines {
			lines[i] = strings.Replace(lines[i], c.line, c.line+`,"action":"`+c.claim+`"`, 1)
		}
		m := machineIn(t, from, validators.Config{Steps: validators.Batched, Budget: 1000})
		found, _, err := m.Step(&trace.Step{Events: validatorstest.Events(t, lines...)})
		switch {
		case err != nil || len(found) != 0 && c.want == "" || len(found) != 1 && c.want != "":
			t.Errorf("%s of %s: %v %v", c.claim, c.line, found, err)
		case c.want != "" && !strings.Contains(found[0].Message, c.want):
			t.Errorf("%s of %s: %q, want %q", c.claim, c.line, found[0].Message, c.want)
		case c.want == "" && !slices.Contains(m.Explanation(), c.claim):
			t.Errorf("%s of %s: explained by %v", c.claim, c.line, m.Explanation())
		}
	}
}

// TestNearest: the action that was meant, and its conjunct that fails.
func TestNearest(t *testing.T) {
	for _, c := range []struct {
		from, to global
		want     string
	}{
		{global{[3]string{"working", "prepared", "prepared"}, "working"}, global{[3]string{"working", "prepared", "prepared"}, "committed"}, "TMCommit: all are prepared"},
		{global{[3]string{"prepared", "prepared", "prepared"}, "working"}, global{[3]string{"committed", "prepared", "prepared"}, "working"}, "RMRcvCommitMsg: tmState = committed"},
		{global{[3]string{"prepared", "prepared", "prepared"}, "aborted"}, global{[3]string{"aborted", "prepared", "aborted"}, "aborted"},
			"RMRcvAbortMsg: rmState' = [rmState EXCEPT ![rm] = aborted]"},
	} {
		m := machineIn(t, c.from, validators.Config{})
		found, _, err := m.Step(&trace.Step{Events: c.to.events(t, "update")})
		if err != nil || len(found) != 1 || len(found[0].Nearest) == 0 {
			t.Fatalf("%v to %v: %+v %v", c.from, c.to, found, err)
		}
		if n := found[0].Nearest[0]; n.Action+": "+strings.Join(n.Failed, "; ") != c.want {
			t.Errorf("%v to %v: nearest is %s: %q, want %s", c.from, c.to, n.Action, n.Failed, c.want)
		}
	}
}
