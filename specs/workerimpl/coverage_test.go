package workerimpl

import (
	"maps"
	"strings"
	"testing"

	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// cannotFailAlone lists the clauses that are never all that keeps their action
// from explaining a step, and why.
var cannotFailAlone = map[string]string{
	`CreateTask: Id(t) \notin IdSet(tasks)`:   "a create of a task that exists is refused before any action is looked at",
	`ContainerExit: id \in DOMAIN containers`: "where id is none, [containers EXCEPT ![id] = s2] is containers: a step that changes containers is none",
	`WorkerUp: ~IsUp(n)`:                      "where n is up, [nodes EXCEPT ![n] = nodeUp] is nodes: a step that changes n is none",
	`WS!WorkerUp: ~IsUp(n)`:                   "as of WorkerUp",
}

func TestCasesReachEveryClause(t *testing.T) {
	// The rest of refined is Next's OtherComponent.
	relation := append(append(validators.Relation[pair]{}, pairs...), refined[:7]...)
	validatorstest.CheckEveryClause(t, Spec, "testdata", relation, cannotFailAlone)
}

// Every clause of TypeOK is broken by a step of some case and by a run of
// snapshots of another, and WSSpec by a step of Impl, where there is such.
func TestCasesBreakEveryRule(t *testing.T) {
	// What the message of a violation of each clause begins with, and what it has.
	says := map[string][2]string{
		`TasksTypeOK`: {"task ", ""},
		`DOMAIN containers \in SUBSET ModelTaskId`:               {"container ", `DOMAIN containers \in SUBSET ModelTaskId`},
		`containers \in [ DOMAIN containers -> ContainerState ]`: {"container ", "is not in ContainerState"},
		`ASSUME node \in Node`:                                   {"container ", `ASSUME node \in Node`},
		`WorkerTypeOK`:                                           {"node ", ""},
	}
	seen := map[string]map[bool]bool{}
	unrefined := false
	for _, c := range validatorstest.JudgeCases(t, []*validators.Spec{Spec}, "testdata") {
		others := map[int]bool{} // last lines of steps that break another rule
		for _, v := range c.Violations {
			others[v.LastLine] = others[v.LastLine] || v.Rule != wsSpec.Name
		}
		for _, v := range c.Violations {
			unrefined = unrefined || v.Rule == wsSpec.Name && !others[v.LastLine]
			for clause, s := range says {
				if v.Rule == typeOK.Name && strings.HasPrefix(v.Message, s[0]) && strings.Contains(v.Message, s[1]) {
					if seen[clause] == nil {
						seen[clause] = map[bool]bool{}
					}
					seen[clause][len(v.Events) == 0] = true
				}
			}
		}
	}
	for _, clause := range typeOK.Clauses {
		for _, snapshot := range []bool{false, true} {
			if !seen[clause][snapshot] {
				t.Errorf("no case breaks %s (in a snapshot: %v): %s", typeOK.Name, snapshot, clause)
			}
		}
	}
	if !unrefined {
		t.Errorf("no case breaks %s alone", wsSpec.Name)
	}
}

func TestCasesExerciseEverything(t *testing.T) {
	unreached := maps.Clone(cannotFailAlone)
	maps.DeleteFunc(unreached, func(clause, _ string) bool { return strings.HasPrefix(clause, "WS!") }) // of the refinement
	validatorstest.CheckCoverage(t, Spec, "testdata", unreached)
}
