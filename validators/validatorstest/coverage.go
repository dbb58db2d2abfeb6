package validatorstest

import (
	"path/filepath"
	"strings"
	"testing"

	"tracecheck/validators"
)

// Case is a case file with the result of judging it.
type Case struct {
	Name       string
	Batched    bool
	By         []string // the actions that its expectations name
	Violations []validators.Violation
}

// JudgeCases judges every *.txt file of the folder, without variations, for tests of
// what all cases together reach.
func JudgeCases(t *testing.T, specs []*validators.Spec, dir string) []Case {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases in %s (%v)", dir, err)
	}
	var cases []Case
	for _, path := range paths {
		read := readCase(t, path)
		c := Case{
			Name:       strings.TrimSuffix(filepath.Base(path), ".txt"),
			Batched:    strings.Contains(read.lines[0].text, "batched"),
			Violations: read.judge(t, specs, read.lines).result.Violations,
		}
		for _, l := range read.lines {
			if l.by != "" && l.by != "nothing" {
				c.By = append(c.By, strings.Split(l.by, ", ")...)
			}
		}
		cases = append(cases, c)
	}
	return cases
}

// CheckEveryClause judges the cases. Every action must explain a step of some case. Every
// clause must be the only failed one of its action in some atomic case. cannotFailAlone lists
// the other clauses, as "Action: clause", with the reasons. Actions of relation that are not
// the spec's own (those of a refinement) explain no step.
func CheckEveryClause[P any](t *testing.T, spec *validators.Spec, dir string, relation validators.Relation[P], cannotFailAlone map[string]string) {
	t.Helper()
	explains, alone := map[string]bool{}, map[string]bool{}
	for _, c := range JudgeCases(t, []*validators.Spec{spec}, dir) {
		for _, name := range c.By {
			explains[name] = true
		}
		for _, v := range c.Violations {
			for _, near := range v.Nearest {
				if len(near.Failed) == 1 && !c.Batched {
					alone[near.Action+": "+near.Failed[0]] = true
				}
			}
		}
	}
	for i := range spec.Actions {
		if name := spec.Actions[i].Name; !explains[name] {
			t.Errorf("%s explains no step of any case", name)
		}
	}
	known := map[string]bool{}
	for _, a := range relation {
		for _, c := range a.Clauses {
			clause := a.Name + ": " + c.Text
			known[clause] = true
			switch why := cannotFailAlone[clause]; {
			case why == "" && !alone[clause]:
				t.Errorf("in no case is this clause all that fails: %s", clause)
			case why != "" && alone[clause]:
				t.Errorf("this clause is listed as one that cannot fail alone (%s), but does: %s", why, clause)
			}
		}
	}
	for clause := range cannotFailAlone {
		if !known[clause] {
			t.Errorf("no action has the clause that is listed as one that cannot fail alone: %s", clause)
		}
	}
}
