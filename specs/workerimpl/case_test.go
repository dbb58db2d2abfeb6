package workerimpl

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

func TestCases(t *testing.T) {
	validatorstest.RunCases(t, []*validators.Spec{Spec}, "testdata")
}

// never are clauses that no step breaks alone, and why.
var never = map[string]string{
	`CreateTask: Id(t) \notin IdSet(tasks)`:   "a create of a task that exists is refused before",
	`ContainerExit: id \in DOMAIN containers`: "the witness is one that was there",
	`RejectTask: t.node = node`:               "UpdateTask then explains the step",
	`WorkerDown: IsUp(n)`:                     "a node that changes to down was up",
	`WorkerUp: ~IsUp(n)`:                      "a node that changes to up was down",
	`WS!WorkerDown: IsUp(n)`:                  "a node that changes to down was up",
	`WS!WorkerUp: ~IsUp(n)`:                   "a node that changes to up was down",
}

// TestEveryClauseHasItsCase: of every action, some case breaks each clause and
// no other.
func TestEveryClauseHasItsCase(t *testing.T) {
	broken := map[string]bool{}
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		r, err := validators.NewRunner(validators.Options{Specs: []*validators.Spec{Spec}, KeepGoing: true,
			Attach: strings.Contains(string(raw), "# option attach")})
		if err != nil {
			t.Fatal(err)
		}
		var d trace.Decoder
		for i, line := range strings.Split(string(raw), "\n") {
			if line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			var ev trace.Event
			if err := d.Decode([]byte(line), trace.Pos{Line: i + 1}, &ev); err != nil {
				t.Fatal(err)
			}
			if err := r.Push([]trace.Event{ev}); err != nil {
				t.Fatal(err)
			}
		}
		for _, v := range r.Finish().Violations {
			for _, n := range v.Nearest {
				if len(n.Failed) == 1 {
					broken[n.Action+": "+n.Failed[0]] = true
				}
			}
		}
	}
	for _, relation := range []validators.Relation[pair]{next, refined[:7]} {
		for _, a := range relation {
			for _, c := range a.Clauses {
				name := a.Name + ": " + c.Text
				if _, not := never[name]; not == broken[name] {
					t.Errorf("%s: broken alone by a case: %v, never broken alone: %v", name, broken[name], not)
				}
			}
		}
	}
}
