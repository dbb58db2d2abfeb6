package validatorstest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"tracecheck/validators"
)

// Noise has the parts of random lines, which need not make sense.
type Noise struct {
	Kinds, IDs, Fields []string
	Values             []string // JSON that may be valid; other values are added

	// Fit, unless nil, has valid JSON values for each field. Most values are taken
	// from it.
	Fit map[string][]string
}

// CheckAnyInput judges lines of noise in every mode. Each step is judged, and the
// positions of findings are in the input. The seeds are those of Seeds.
func CheckAnyInput(t *testing.T, spec *validators.Spec, noise Noise, cases uint64) {
	t.Helper()
	for seed := range Seeds(t, cases) {
		lines, opts := noise.Draw(rand.New(rand.NewPCG(seed, 6)), spec)
		CheckFindings(t, spec, lines, opts)
	}
}

// Draw returns random lines, and random options for judging.
func (n *Noise) Draw(rng *rand.Rand, spec *validators.Spec) ([]string, validators.Options) {
	actions := []string{"Nothing"}
	for i := range spec.Actions {
		actions = append(actions, spec.Actions[i].Name)
	}
	profiles := validators.ProfileNames([]*validators.Spec{spec})
	var lines []string
	for range 1 + rng.IntN(25) {
		lines = append(lines, n.line(rng, actions))
	}
	return lines, validators.Options{
		Attach: rng.IntN(5) < 2, Steps: pick(rng, []validators.Steps{validators.Atomic, validators.Batched}),
		Deadline: time.Duration(rng.IntN(2)) * time.Minute, Profile: pick(rng, profiles),
	}
}

// CheckFindings judges the lines past every violation, and checks the positions of the
// violations.
func CheckFindings(t *testing.T, spec *validators.Spec, lines []string, opts validators.Options) {
	t.Helper()
	opts.Specs, opts.KeepGoing, opts.Budget = []*validators.Spec{spec}, true, 2000
	result := Judge(t, opts, lines...)
	for _, v := range result.Violations {
		if v.FirstLine < 1 || v.Line < v.FirstLine || v.Line > v.LastLine || v.LastLine > len(lines) ||
			v.Message == "" || strings.Contains(v.Message, "%!") {
			t.Errorf("%+v\n%s", v, strings.Join(lines, "\n"))
		}
	}
	for _, l := range result.Liveness {
		for _, w := range l.Waiting {
			if w.SinceLine < 1 || w.SinceLine > len(lines) || w.Action == "" {
				t.Errorf("%s: %+v\n%s", l.Rule, w, strings.Join(lines, "\n"))
			}
		}
	}
}

func (n *Noise) line(rng *rand.Rand, actions []string) string {
	ops := []string{"snapshot", "create", "update", "update", "update", "delete", "reject"}
	values := []string{"null", "true", "false", "0", "1", "-3", "2.5", "1e400", `""`, `"r1"`, "[]", "{}",
		`{"c1":{"a":1},"":null}`, "9223372036854775807"}
	var fields []string
	most := 5
	if n.Fit != nil {
		most = 2 * len(n.Fields)
	}
	for range rng.IntN(most) {
		value := pick(rng, values)
		if rng.IntN(4) > 0 {
			value = pick(rng, n.Values)
		}
		field := pick(rng, n.Fields)
		if n.Fit != nil && rng.IntN(20) > 0 {
			value = pick(rng, n.Fit[field])
		}
		fields = append(fields, fmt.Sprintf("%q:%s", field, value))
	}
	object := "{" + strings.Join(fields, ",") + "}"
	if rng.IntN(20) == 0 {
		object = "null"
	}
	more := ""
	if rng.IntN(5) > 1 {
		more = fmt.Sprintf(`,"tx":%d`, rng.IntN(3))
	}
	if rng.IntN(5) == 0 {
		more += fmt.Sprintf(`,"action":%q`, pick(rng, actions))
	}
	if rng.IntN(2) == 0 {
		more += fmt.Sprintf(`,"time":"2026-11-20T10:%02d:00Z"`, rng.IntN(60))
	}
	return fmt.Sprintf(`{"kind":%q,"op":%q,"id":%q%s,"object":%s}`, pick(rng, n.Kinds), pick(rng, ops), pick(rng, n.IDs), more, object)
}

func pick[T any](rng *rand.Rand, from []T) T { return from[rng.IntN(len(from))] }
