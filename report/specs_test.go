package report

import (
	"bytes"
	"io"
	"testing"

	"tracecheck/internal/kinds"
	"tracecheck/trace"
	"tracecheck/validators"
)

func tinySpec() *validators.Spec {
	return &validators.Spec{
		Name: "traffic", Module: "Traffic", Doc: "Lights at a crossing.", Source: "example.org/Traffic.tla",
		Kinds: []trace.Kind{kinds.Node, kinds.Task},
		Constants: []validators.ConstantDoc{
			{Name: "roads", Type: "array of names", Doc: "The roads."},
			{Name: "patience", Type: "integer", Default: "5", Doc: "How long a car waits."},
		},
		Actions: []validators.ActionDoc{
			{Name: "Go", Actor: "light", Doc: "A light turns green.", Clauses: []string{"color = red", `\A o \in Roads \ {r} : color[o] = red`}},
			{Name: "Stop", Doc: "A light turns red.", Clauses: []string{"color' = red"}, Stutters: true},
		},
		Rules: []validators.RuleDoc{
			{Name: "TypeOK", Kind: validators.OfType, Doc: "Lights are red or green.", Clauses: []string{`color \in { red, green }`}},
			{Name: "Flows", Doc: "Reported at the end."},
		},
		Temporal: []validators.Temporal{
			{Name: "WF_vars(Light)", Doc: "Lights change.", Waits: []validators.Wait{1, 2}},
			{Name: "Calm", Formula: "<>[] Empty", Doc: "It gets quiet.", Predicate: "Empty", Waits: []validators.Wait{3}},
			{Name: "Safe", Formula: "[][OneGreen]_vars", Doc: "Never two.", Step: "OneGreen"},
		},
		Waits: []string{"", "Go", "Stop", "Calm"},
	}
}

func TestSpecs(t *testing.T) {
	s := tinySpec()
	other := tinySpec()
	other.Name, other.Module, other.Source, other.Constants = "other", "", "", nil
	golden(t, "specs", func(w io.Writer) error { return Specs(w, []*validators.Spec{s, other}, TextOptions{Width: 60}) })
	golden(t, "spec", func(w io.Writer) error { return Spec(w, s, TextOptions{}) })
	golden(t, "specs_json", func(w io.Writer) error { return SpecsJSON(w, []*validators.Spec{s, other}) })
}

func TestNamed(t *testing.T) {
	for name, want := range map[string]string{
		"Stop":           "  Stop\n    A light turns red.\n      /\\ color' = red\n      (may also leave the state as it is)\n",
		"TypeOK":         "  TypeOK  type\n    Lights are red or green.\n      /\\ color \\in { red, green }\n",
		"Next":           "  Go  by the light\n    A light turns green.\n  Stop\n    A light turns red.\n      (may also leave the state as it is)\n",
		"Calm":           "  Calm\n    It gets quiet.\n      <>[] Empty\n",
		"WF_vars(Light)": "  WF_vars(Light)\n    Lights change.\n      waits for Go, Stop\n",
		"Yield":          "",
	} {
		part := Named(tinySpec(), name)
		if part == nil {
			if want != "" {
				t.Errorf("there is no %s", name)
			}
			continue
		}
		var b bytes.Buffer
		if err := Part(&b, part, TextOptions{}); err != nil || b.String() != want {
			t.Errorf("%s is\n%s, want\n%s (%v)", name, b.String(), want, err)
		}
	}
}
