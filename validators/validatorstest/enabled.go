package validatorstest

import (
	"bytes"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/validators"
)

// CheckEnabled compares what a stream waits for with ENABLED in the graph: an action is
// enabled in a state if an edge with its name begins there. It checks states given as
// snapshots, and the ends of random walks. No wait may be longer than its action has been
// enabled. The invariants must hold in the graph's states. bounded reports whether the
// bounds of the model forbid an action that the spec allows.
func CheckEnabled(t *testing.T, spec *validators.Spec, g *Graph, bounded func(state []Object, action string) bool) {
	t.Helper()
	progress := map[string]bool{}
	for i := range spec.Temporal {
		for _, action := range spec.Progress(&spec.Temporal[i]) {
			progress[action] = true
		}
	}
	want := make([]map[string]bool, len(g.States))
	for state := range g.States {
		want[state] = map[string]bool{}
		for _, actions := range g.Edges[state] {
			for _, a := range actions {
				if progress[a] {
					want[state][a] = true
				}
			}
		}
	}
	check := func(what string, state int, lines []string, since map[string]int) {
		open := waiting(t, spec, g, lines)
		for action := range progress {
			if bounded != nil && bounded(g.States[state], action) {
				continue
			}
			at, is := open[action]
			if is != want[state][action] {
				t.Errorf("%s, state %d: waits for %s: %v, enabled: %v\n%s", what, state, action, is, want[state][action], strings.Join(lines, "\n"))
			} else if is && at < since[action] {
				t.Errorf("%s: waits for %s since line %d, enabled since line %d\n%s", what, action, at, since[action], strings.Join(lines, "\n"))
			}
		}
	}
	for state := range g.States {
		if !exhaustive.Asked() && state%31 != 0 {
			continue
		}
		check("shown", state, g.snapshotLines(state), nil)
	}
	rng := rand.New(rand.NewSource(1))
	for range exhaustive.Or(100, 500) {
		state := g.Init
		lines := g.snapshotLines(state)
		since := map[string]int{}
		for n := range 1 + rng.Intn(40) {
			to := slices.Sorted(keys(g.Edges[state]))
			if len(to) == 0 {
				break
			}
			next := to[rng.Intn(len(to))]
			lines = append(lines, between(g.States[state], g.States[next], n)...)
			for action := range want[next] {
				if !want[state][action] {
					since[action] = len(lines)
				}
			}
			state = next
		}
		check("walked", state, lines, since)
		if t.Failed() {
			return
		}
	}
}

func keys(m map[int][]string) func(func(int) bool) {
	return func(yield func(int) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func (g *Graph) snapshotLines(state int) []string {
	var lines []string
	for i := range g.States[state] {
		lines = append(lines, g.States[state][i].Line("snapshot"))
	}
	return lines
}

// between is the step from one state to another as lines of one tx.
func between(from, to []Object, tx int) []string {
	find := func(in []Object, o *Object) *Object {
		for i := range in {
			if in[i].Kind == o.Kind && in[i].ID == o.ID && key(&in[i]) == key(o) {
				return &in[i]
			}
		}
		return nil
	}
	var lines []string
	add := func(o *Object, op string) {
		lines = append(lines, fmt.Sprintf(`{"tx":%d,%s`, tx, o.Line(op)[1:]))
	}
	for i := range from {
		if find(to, &from[i]) == nil {
			add(&from[i], "delete")
		}
	}
	for i := range to {
		switch was := find(from, &to[i]); {
		case was == nil:
			add(&to[i], "create")
		case !bytes.Equal(was.Object, to[i].Object):
			add(&to[i], "update")
		}
	}
	return lines
}

// key is the second part of a syncer's identity, besides its id.
func key(o *Object) string {
	if o.Kind != "syncer" {
		return ""
	}
	_, rest, _ := strings.Cut(string(o.Object), `"namespace":`)
	namespace, _, _ := strings.Cut(rest, ",")
	return namespace
}

// waiting returns the actions that objects wait for at the end of a trace, each with the
// line at which the oldest wait began.
func waiting(t *testing.T, spec *validators.Spec, g *Graph, lines []string) map[string]int {
	t.Helper()
	constants := map[string]string{}
	for name, raw := range g.Meta.Constants {
		constants[name] = string(raw)
	}
	result := Judge(t, validators.Options{Specs: []*validators.Spec{spec}, Select: []string{spec.Name}, Constants: constants}, lines...)
	if len(result.Violations) > 0 {
		t.Fatalf("%s\n%s", describe(&result.Violations[0]), strings.Join(lines, "\n"))
	}
	open := map[string]int{}
	for i := range result.Liveness {
		l := &result.Liveness[i]
		if l.Open > len(l.Waiting) {
			t.Fatalf("%d of %d that wait for %s are listed", len(l.Waiting), l.Open, l.Rule)
		}
		for _, w := range l.Waiting {
			if at, ok := open[w.Action]; !ok || w.SinceLine < at {
				open[w.Action] = w.SinceLine
			}
		}
	}
	return open
}
