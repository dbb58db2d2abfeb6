package portallocator

import (
	"strings"
	"testing"

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

func TestCasesReachEveryClause(t *testing.T) {
	validatorstest.CheckEveryClause(t, Spec, "testdata", text.Relation(), cannotFailAlone)
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
			for i, object := range []string{"the allocator: ", "endpoint "} {
				if v.Rule == typeOK.Name && strings.HasPrefix(v.Message, object) {
					seen[broken{v.Rule, typeOK.Clauses[i], snapshot}] = true
				}
			}
			for _, clause := range allocationsOK.Clauses {
				if v.Rule == allocationsOK.Name && strings.Contains(v.Message, clause) {
					seen[broken{v.Rule, clause, snapshot}] = true
				}
			}
		}
	}
	for _, rule := range []validators.RuleDoc{typeOK, allocationsOK} {
		for _, clause := range rule.Clauses {
			for _, snapshot := range []bool{false, true} {
				if want := (broken{rule.Name, clause, snapshot}); !seen[want] {
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
		var spec list
		m.s.line = &ev
		m.s.read(&spec, ev.Fields.Get(fieldSpec), specs)
		x := m.s.refuse(c.id, spec)
		empty := x.empty()
		var reasons []string
		if x.forcedTwice() {
			reasons = append(reasons, "spec")
		}
		if x.forcedInUse() {
			reasons = append(reasons, "static")
		}
		if x.overdrawn() != nil {
			reasons = append(reasons, "dynamic")
		}
		if got := strings.Join(reasons, " "); empty != c.empty || got != c.reasons || m.s.justified(c.id, spec) != c.justified {
			t.Errorf("%s: Allocate is empty: %v, for the reasons %q; want %v, %q", c.name, empty, got, c.empty, c.reasons)
		}
	}
}

func TestCasesExerciseEverything(t *testing.T) {
	validatorstest.CheckCoverage(t, Spec, "testdata", cannotFailAlone)
}
