package validatorstest

import (
	"path/filepath"
	"reflect"
	"testing"

	"tracecheck/validators"
)

// CheckCoverage judges the cases and counts their coverage. A case must exercise every
// action, transition and branch of the spec, and every clause must decide in a case.
// unreached lists the exceptions in the form of Unexercised, with the reasons. Counting
// must not change a verdict.
func CheckCoverage(t *testing.T, spec *validators.Spec, dir string, unreached map[string]string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases in %s (%v)", dir, err)
	}
	var all []validators.Coverage
	for _, path := range paths {
		c := readCase(t, path)
		plain := c.judge(t, []*validators.Spec{spec}, c.lines).result
		c.coverage = true
		counted := c.judge(t, []*validators.Spec{spec}, c.lines).result
		all = validators.MergeCoverage(all, counted.Coverage)
		counted.Coverage, plain.Coverage = nil, nil
		if !reflect.DeepEqual(plain, counted) {
			t.Errorf("%s: judged otherwise where coverage is counted: %+v, not %+v", path, counted, plain)
		}
	}
	if len(all) != 1 {
		t.Fatalf("coverage of %d specs", len(all))
	}
	left := map[string]bool{}
	for _, what := range Unexercised(&all[0]) {
		left[what] = true
		if unreached[what] == "" {
			t.Errorf("no case exercises %s", what)
		}
	}
	for what, why := range unreached {
		if !left[what] {
			t.Errorf("listed as what no case can exercise (%s), but a case does, or there is none: %s", why, what)
		}
	}
}

// Unexercised lists the entries with a count of 0: "Action", "Action: clause",
// "by: from -> to" and "Rule: branch".
func Unexercised(c *validators.Coverage) []string {
	var list []string
	for _, a := range c.Actions {
		if a.Count == 0 {
			list = append(list, a.Action)
		}
	}
	for _, t := range c.Transitions {
		if t.Count == 0 {
			list = append(list, t.By+": "+t.From+" -> "+t.To)
		}
	}
	for _, l := range c.Clauses {
		if l.Count == 0 {
			list = append(list, l.Action+": "+l.Clause)
		}
	}
	for _, b := range c.Branches {
		if b.Count == 0 {
			list = append(list, b.Rule+": "+b.Branch)
		}
	}
	return list
}
