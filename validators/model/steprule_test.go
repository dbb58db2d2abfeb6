package model_test

import (
	"testing"

	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/model"
	"tracecheck/validators/validatorstest"
)

// TestStepRules: a property of steps is judged of those that one action explains,
// at the line that it names.
func TestStepRules(t *testing.T) {
	lasting := *jobsModel
	lasting.Steps = []*model.StepRule[queue]{{
		RuleDoc: validators.RuleDoc{Name: "Lasting", Kind: validators.OfProperty},
		Broken: func(s *queue) (line int, message string) {
			for _, c := range s.jobs.Changed() {
				if c.Had && !c.Shown {
					return c.Line, "job " + c.ID + " ends as " + phases[c.Old.Phase]
				}
			}
			return 0, ""
		},
	}}
	spec := lasting.Spec()
	const (
		submit = `{"kind":"job","op":"create","id":"b","object":{"state":"waiting"}}`
		start  = `{"kind":"job","op":"update","id":"a","object":{"state":"running"}}`
		end    = `{"kind":"job","op":"delete","id":"a"}`
		same   = `{"kind":"job","op":"update","id":"c","object":{"state":"waiting"}}`
	)
	for _, c := range []struct {
		name   string
		phase  string // of job a before the step
		c      validators.Config
		lines  []string
		rule   string // "": none is broken
		line   int
		broken string
	}{
		{"a step that keeps it", "waiting", validators.Config{}, []string{start}, "", 0, ""},
		{"one that breaks it", "running", validators.Config{}, []string{end}, "Lasting", 1, "job a ends as running"},
		{"at its own line", "running", validators.Config{}, []string{same, end}, "Lasting", 2, "job a ends as running"},
		{"one that nothing explains", "waiting", validators.Config{}, []string{end}, validators.NextRule, 1, ""},
		{"a batched step of one action", "running", validators.Config{Steps: validators.Batched}, []string{end}, "Lasting", 1, "job a ends as running"},
		{"of two actions", "running", validators.Config{Steps: validators.Batched}, []string{end, submit}, "", 0, ""},
		{"at first sight", "", validators.Config{Attach: true}, []string{end}, "", 0, ""},
	} {
		c.c.Budget = 1000
		m, err := spec.New(c.c)
		if err != nil {
			t.Fatal(err)
		}
		for id, phase := range map[string]string{"a": c.phase, "c": "waiting"} {
			if phase != "" {
				m.Snapshot(&validatorstest.Events(t, `{"kind":"job","op":"snapshot","id":"`+id+`","object":{"state":"`+phase+`"}}`)[0])
			}
		}
		m.SnapshotsEnd()
		found, _, err := m.Step(&trace.Step{Events: validatorstest.Events(t, c.lines...)})
		switch {
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.rule == "" && len(found) == 0:
		case len(found) != 1 || found[0].Rule != c.rule || found[0].Pos.Line != c.line || c.broken != "" && found[0].Message != c.broken:
			t.Errorf("%s: %+v, want %s at line %d: %s", c.name, found, c.rule, c.line, c.broken)
		}
	}
	if rules := spec.Rules; rules[len(rules)-1].Name != "Lasting" {
		t.Errorf("rules %v", rules)
	}
}
