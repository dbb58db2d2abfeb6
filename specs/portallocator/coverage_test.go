package portallocator

import (
	"strings"
	"testing"

	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

func judgedCases(t *testing.T) []validatorstest.Case {
	return validatorstest.JudgeCases(t, []*validators.Spec{Spec}, "testdata")
}

// cannotFailAlone lists the clauses that no step breaks alone, and why the
// module's text has it so.
var cannotFailAlone = map[string]string{
	"NewEndpoint: " + proposed[1].Text: "nullEndpoint has nothing to recover",
	`RemoveEndpoint: props # {}`:       "the module asserts that a removal is never refused",
}

// TestCasesReachEveryClause: every action explains a step of some case, and
// every clause is, in some case's unexplained atomic step, all that keeps its
// action from explaining it.
func TestCasesReachEveryClause(t *testing.T) {
	explains, alone := map[string]bool{}, map[string]bool{}
	for _, c := range judgedCases(t) {
		for _, name := range c.By {
			explains[name] = true
		}
		for _, v := range c.Violations {
			for _, near := range v.Nearest {
				if len(near.Failed) != 1 || c.Batched {
					continue
				}
				alone[near.Action+": "+near.Failed[0]] = true
				if near.Values[0] == "" && near.Failed[0] != proposed[0].Text {
					t.Errorf("%s: %s shows no values", c.Name, near.Failed[0])
				}
			}
		}
	}
	known := map[string]bool{}
	for _, a := range next {
		if !explains[a.Name] {
			t.Errorf("%s explains no step of any case", a.Name)
		}
		for _, c := range a.Clauses {
			clause := a.Name + ": " + c.Text
			known[clause] = true
			if why := cannotFailAlone[clause]; (why == "") != alone[clause] {
				t.Errorf("%s: all that fails in some case: %v; cannot fail alone: %q", clause, alone[clause], why)
			}
		}
	}
	for clause := range cannotFailAlone {
		if !known[clause] {
			t.Errorf("no action has the clause that is listed as one that cannot fail alone: %s", clause)
		}
	}
}

// TestCasesBreakEveryRule: every clause of the invariants is broken by a step
// of some case and by a run of snapshots of another, and in some step each
// invariant and property is all that is broken.
func TestCasesBreakEveryRule(t *testing.T) {
	type broken struct {
		rule, clause string
		snapshot     bool
	}
	seen, alone := map[broken]bool{}, map[string]bool{}
	for _, c := range judgedCases(t) {
		at := map[int]int{} // violations by the last line of their step
		for _, v := range c.Violations {
			at[v.LastLine]++
		}
		for _, v := range c.Violations {
			alone[v.Rule] = alone[v.Rule] || at[v.LastLine] == 1
			snapshot := len(v.Events) == 0
			// Each clause of TypeOK is about one kind of object, with which the
			// message begins.
			for i, object := range []string{"allocator: ", "endpoint "} {
				if v.Rule == typeOK.Name && strings.HasPrefix(v.Message, object) {
					seen[broken{v.Rule, typeOK.Clauses[i].Text, snapshot}] = true
				}
			}
			for _, clause := range allocationsOK.Clauses {
				if v.Rule == allocationsOK.Name && strings.Contains(v.Message, clause.Text) {
					seen[broken{v.Rule, clause.Text, snapshot}] = true
				}
			}
		}
	}
	for _, rule := range invariants {
		for _, clause := range rule.Clauses {
			for _, snapshot := range []bool{false, true} {
				if want := (broken{rule.Name, clause.Text, snapshot}); !seen[want] {
					t.Errorf("no case breaks %+v", want)
				}
			}
		}
	}
	for _, rule := range Spec.Rules {
		if !alone[rule.Name] {
			t.Errorf("in no case is %s all that is broken", rule.Name)
		}
	}
}

// TestReasonsOfRefusals: each reason of RejectJustified is, for some spec, the
// only one, and Allocate may be empty for none and not empty for one.
func TestReasonsOfRefusals(t *testing.T) {
	for _, c := range []struct {
		name      string
		shows     []string // snapshot lines of endpoints
		id        string
		asks      string
		empty     bool
		reasons   string // "spec", "static", "dynamic"
		justified bool
	}{
		{"the same number twice", nil, "a", "x 80 80,y 80 80", true, "spec", true},
		{"a number in use", []string{endpointLine("snapshot", "b", "x 80 80")}, "a", "x 80 80", true, "static", true},
		{"too few numbers", []string{endpointLine("snapshot", "b", "x 0 7")}, "a", "x 0 0,y 0 0", true, "dynamic", true},
		{"all three", []string{endpointLine("snapshot", "b", "x 80 80", "y 0 7")}, "a", "x 80 80,y 80 80,z 0 0,w 0 0", true, "spec static dynamic", true},
		{"none, and Allocate is not empty", nil, "a", "x 80 80,y 0 0", false, "", false},
		{"an over-estimate", []string{endpointLine("snapshot", "a", "x 0 80"), endpointLine("snapshot", "b", "x 0 7")}, "a", "x 0 0,y 0 0", false, "dynamic", false},
		{"none, and Allocate is empty", []string{endpointLine("snapshot", "a", "x 0 7", "y 0 8"), endpointLine("snapshot", "a", "x 0 7", "y 0 7")}, "a", "x 0 0,y 0 0", true, "", false},
	} {
		m := newTestMachine(t, validators.Config{Constants: map[string]string{"dynamic_ports": "[7,8]"}})
		for _, line := range c.shows {
			ev := decode(t, line)
			m.Snapshot(&ev)
		}
		m.SnapshotsEnd()
		ev := decode(t, endpointLine("reject", c.id, strings.Split(c.asks, ",")...))
		m.bind(&stepsOf(t, endpointLine("reject", c.id, strings.Split(c.asks, ",")...))[0])
		spec, _ := m.s.parsePorts(ev.Fields.Get(trace.FieldSpec), nil)
		x := m.refuse(c.id, spec.ports)
		empty, _ := x.empty()
		var reasons []string
		if x.forcedTwice() >= 0 {
			reasons = append(reasons, "spec")
		}
		if x.forcedInUse() >= 0 {
			reasons = append(reasons, "static")
		}
		if x.overdrawn() != nil {
			reasons = append(reasons, "dynamic")
		}
		if got := strings.Join(reasons, " "); empty != c.empty || got != c.reasons || m.justified(c.id, spec.ports) != c.justified {
			t.Errorf("%s: Allocate is empty: %v, for the reasons %q; want %v, %q", c.name, empty, got, c.empty, c.reasons)
		}
	}
}

func TestCasesExerciseEverything(t *testing.T) {
	validatorstest.CheckCoverage(t, Spec, "testdata", cannotFailAlone)
}
