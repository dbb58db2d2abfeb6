package twophase

import (
	"os"
	"strings"
	"testing"

	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

func TestCases(t *testing.T) {
	validatorstest.RunCases(t, []*validators.Spec{Spec}, "testdata/cases")
}

func TestCasesReachEveryClause(t *testing.T) {
	validatorstest.CheckEveryClause(t, Spec, "testdata/cases", module.Relation(), nil)
}

// What reports print is the module's own text.
func TestTextIsTheModules(t *testing.T) {
	data, err := os.ReadFile("TwoPhase.tla")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(data)), " ")
	for _, a := range Spec.Actions {
		definition := a.Name + " == /\\ " + strings.Join(a.Clauses, " /\\ ")
		of := a.Name + "(rm) == /\\ " + strings.Join(a.Clauses, " /\\ ")
		if !strings.Contains(text, definition) && !strings.Contains(text, of) {
			t.Errorf("the module has another %s than\n%s", a.Name, definition)
		}
	}
	for _, rule := range Spec.Rules {
		if definition := strings.Join(rule.Clauses, " /\\ "); !strings.Contains(text, definition) {
			t.Errorf("the module has another %s than\n%s", rule.Name, definition)
		}
	}
}
