package swarmkit

import (
	"maps"
	"strings"
	"testing"

	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// cannotFailAlone lists the clauses with which another one of the same action
// always fails, and why the module's text has it so.
var cannotFailAlone = map[string]string{
	`RemoveService: sid \in DOMAIN services`: "a service that is not there has no flag that could be TRUE",
	`CreateSlot: sid \in DOMAIN services`:    "a service that is not there wants no replicas, so not more than it has slots",
	`ReplaceTask: slot \in VSlotsOf(sid)`:    "where the slot has no task, there is none in it with desired_state # remove",
	`WorkerUp: ~IsUp(n)`:                     "where n is up, [nodes EXCEPT ![n] = nodeUp] is nodes: a step that changes n is none",
}

func TestCasesReachEveryClause(t *testing.T) {
	validatorstest.CheckEveryClause(t, Spec, "testdata", next, cannotFailAlone)
}

// Every clause of the invariants is broken by a step of some case and by a run
// of snapshots of another.
func TestCasesBreakEveryInvariant(t *testing.T) {
	// Each clause of TypeOK is about one kind of object, with which the message
	// of a violation begins.
	kinds := []string{"service ", "task ", "node "}
	if len(kinds) != len(typeOK.Clauses) {
		t.Fatalf("TypeOK has %d clauses", len(typeOK.Clauses))
	}
	type broken struct {
		clause   string
		snapshot bool
	}
	seen := map[broken]bool{}
	for _, c := range validatorstest.JudgeCases(t, []*validators.Spec{Spec}, "testdata") {
		for _, v := range c.Violations {
			snapshot := len(v.Events) == 0
			for i, clause := range typeOK.Clauses {
				if v.Rule == typeOK.Name && strings.HasPrefix(v.Message, kinds[i]) {
					seen[broken{clause.Text, snapshot}] = true
				}
			}
			for _, clause := range inv.Clauses {
				if v.Rule == inv.Name && strings.Contains(v.Message, clause.Text) {
					seen[broken{clause.Text, snapshot}] = true
				}
			}
		}
	}
	for _, rule := range invariants {
		for _, clause := range rule.Clauses {
			for _, snapshot := range []bool{false, true} {
				if !seen[broken{clause.Text, snapshot}] {
					t.Errorf("no case breaks %s (in a snapshot: %v): %s", rule.Name, snapshot, clause.Text)
				}
			}
		}
	}
}

func TestCasesExerciseEverything(t *testing.T) {
	unreached := map[string]string{
		`ReplaceTask: sid is not a job`: "a job's new task is desired complete, of which the last clause speaks",
	}
	maps.Copy(unreached, cannotFailAlone)
	validatorstest.CheckCoverage(t, Spec, "testdata", unreached)
}
