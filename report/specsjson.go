package report

import (
	"io"

	"tracecheck/validators"
)

type specsJSON struct {
	Version int        `json:"version"` // of this structure: 1
	Specs   []specJSON `json:"specs"`
}

type specJSON struct {
	Name      string          `json:"name"`
	Module    string          `json:"module"`
	Doc       string          `json:"doc"`
	Source    string          `json:"source"`
	Kinds     []string        `json:"kinds"`
	Constants []constantJSON  `json:"constants"`
	Actions   []actionJSON    `json:"actions"`
	Rules     []ruleJSON      `json:"rules"`
	Temporal  []temporalJSON  `json:"temporal"`
	Allows    []allowanceJSON `json:"allowances,omitempty"`
}

type constantJSON struct {
	Name    string `json:"name"`
	Type    string `json:"type,omitempty"`
	Default string `json:"default,omitempty"`
	Doc     string `json:"doc"`
}

type actionJSON struct {
	Name     string   `json:"name"`
	Actor    string   `json:"actor,omitempty"`
	Doc      string   `json:"doc"`
	Text     string   `json:"text,omitempty"` // of a module that was read: file:line:column
	Clauses  []string `json:"clauses,omitempty"`
	Places   []string `json:"places,omitempty"` // of the clauses
	Stutters bool     `json:"stutters"`
}

type ruleJSON struct {
	Name    string                   `json:"name"`
	Kind    validators.ViolationKind `json:"kind,omitempty"`
	Doc     string                   `json:"doc"`
	Text    string                   `json:"text,omitempty"` // of a module that was read: file:line:column
	Clauses []string                 `json:"clauses,omitempty"`
	Places  []string                 `json:"places,omitempty"` // of the clauses
}

type temporalJSON struct {
	Name    string   `json:"name"`
	Formula string   `json:"formula,omitempty"`
	Doc     string   `json:"doc"`
	Actions []string `json:"actions"`        // whose fairness is required
	Step    string   `json:"step,omitempty"` // the action property that violates it
}

type allowanceJSON struct {
	Name    string   `json:"name"`
	Actor   string   `json:"actor,omitempty"`
	Doc     string   `json:"doc"`
	Clauses []string `json:"clauses,omitempty"`
	Relaxes string   `json:"relaxes"`
	Source  string   `json:"source"`
}

// SpecsJSON writes the specs as one object on one line.
func SpecsJSON(w io.Writer, specs []*validators.Spec) error {
	out := specsJSON{Version: 1, Specs: []specJSON{}}
	for _, s := range specs {
		j := specJSON{Name: s.Name, Module: s.Module, Doc: s.Doc, Source: s.Source,
			Kinds: []string{}, Constants: []constantJSON{}, Actions: []actionJSON{}, Rules: []ruleJSON{}, Temporal: []temporalJSON{}}
		for _, k := range s.Kinds {
			j.Kinds = append(j.Kinds, k.String())
		}
		for _, c := range s.Constants {
			j.Constants = append(j.Constants, constantJSON(c))
		}
		for _, a := range s.Actions {
			j.Actions = append(j.Actions, actionJSON(a))
		}
		for _, r := range s.Rules {
			j.Rules = append(j.Rules, ruleJSON(r))
		}
		for i := range s.Temporal {
			t := &s.Temporal[i]
			j.Temporal = append(j.Temporal, temporalJSON{t.Name, t.Formula, t.Doc, append([]string{}, s.Progress(t)...), t.Step})
		}
		for _, a := range s.Allows() {
			j.Allows = append(j.Allows, allowanceJSON(a))
		}
		out.Specs = append(out.Specs, j)
	}
	return Encode(w, out)
}
