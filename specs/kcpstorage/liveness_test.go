package kcpstorage_test

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/specs/kcpstorage"
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// waitingAt returns the line since which the only namespace waits, 0 if it does
// not. Inv_UsableByAtMostOne may be broken on the way.
func waitingAt(t *testing.T, clusters string, lines []string) int {
	t.Helper()
	result := validatorstest.Judge(t, validators.Options{Specs: []*validators.Spec{kcpstorage.Spec}, KeepGoing: true,
		Constants: map[string]string{"clusters": clusters}}, lines...)
	if len(result.Liveness) != 1 || len(result.Liveness[0].Waiting) > 1 {
		t.Fatalf("%+v\n%s", result.Liveness, strings.Join(lines, "\n"))
	}
	l := result.Liveness[0]
	if len(l.Waiting) == 0 {
		return 0
	}
	w := l.Waiting[0]
	if w.Kind != "namespace" || w.Action != "Next" || l.Status != validators.AtRisk || w.SinceLine != l.SinceLine {
		t.Errorf("%+v", l)
	}
	return w.SinceLine
}

// TestWhatWaitsIsEnabled: TLC's graph has a step out of every state, so that the
// namespace always waits, since the last step of a walk.
func TestWhatWaitsIsEnabled(t *testing.T) {
	g := validatorstest.ReadGraph(t, "../../testdata/tlc/kcpStorage.graph.jsonl.gz")
	clusters := string(g.Meta.Constants["clusters"])
	for state := range g.States {
		lines := g.Lines(state, "snapshot")
		if enabled := len(g.Edges[state]) > 0; !enabled || waitingAt(t, clusters, lines) != len(lines) {
			t.Errorf("state %d: Next is enabled: %v; want the namespace to wait\n%s", state, enabled, strings.Join(lines, "\n"))
		}
	}
	rng := rand.New(rand.NewSource(1))
	for range 100 {
		state, lines := g.Init, g.Lines(g.Init, "snapshot")
		since := len(lines)
		for tx := range 1 + rng.Intn(20) {
			to := make([]int, 0, len(g.Edges[state]))
			for next := range g.Edges[state] {
				to = append(to, next)
			}
			slices.Sort(to)
			next := to[rng.Intn(len(to))]
			if rng.Intn(3) == 0 {
				next = state
			}
			for i := range g.States[next] {
				lines = append(lines, fmt.Sprintf(`{"tx":%d,%s`, tx, g.States[next][i].Line("update")[1:]))
			}
			if next != state {
				since = len(lines)
			}
			state = next
		}
		if got := waitingAt(t, clusters, lines); got != since {
			t.Fatalf("waits since line %d, want %d\n%s", got, since, strings.Join(lines, "\n"))
		}
	}
}

// TestWhatWaitsInAnyState: of every state that TypeOK allows, reachable or not,
// of two clusters and as many PVCs as given.
func TestWhatWaitsInAnyState(t *testing.T) {
	clusters := []string{"c1", "c2"}
	all := func(code int) states {
		m := states{}
		for i, c := range clusters {
			m = m.with(c, []string{"nil", "Empty", "Sync"}[code/[]int{1, 3}[i]%3])
		}
		return m
	}
	waiting := 0
	for pvcs := range 3 {
		for code := range 9 * 9 * 9 * 9 {
			if pvcs < 2 && code >= 9*9*9 || pvcs < 1 && code >= 9*9 {
				break
			}
			if !exhaustive.Asked() && pvcs == 2 && code%7 > 0 {
				continue
			}
			s := newOracleSpace()
			s.ns = all(code % 9)
			lines := []string{snapshot("namespace", "a", map[string]any{"clusters": s.ns})}
			for c, state := range all(code / 9 % 9) {
				s.syncers[c] = state
				lines = append(lines, snapshot("syncer", c, map[string]any{"namespace": "a", "pvc_state": state}))
			}
			for i := range pvcs {
				id := fmt.Sprintf("p%d", i)
				s.pvcs[id] = all(code / []int{81, 729}[i] % 9)
				lines = append(lines, snapshot("pvc", id, map[string]any{"namespace": "a", "clusters": s.pvcs[id]}))
			}
			enabled := pvcs == 0 && len(s.ns) > 0 // one that no line has shown is nil
			for _, n := range s.successors(clusters) {
				enabled = enabled || n.to.key() != s.key()
			}
			if enabled {
				waiting++
			}
			if got := waitingAt(t, `["c1","c2"]`, lines) > 0; got != enabled {
				t.Fatalf("waits: %v, Next changes something: %v\n%s", got, enabled, strings.Join(lines, "\n"))
			}
		}
		if waiting == 0 {
			t.Errorf("nothing waits in any state of %d PVCs", pvcs)
		}
	}
}

func snapshot(kind, id string, object map[string]any) string {
	raw, err := json.Marshal(map[string]any{"kind": kind, "op": "snapshot", "id": id, "object": object})
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// TestGap: what is lost with the state waits no more.
func TestGap(t *testing.T) {
	result := validatorstest.Judge(t, validators.Options{Specs: []*validators.Spec{kcpstorage.Spec}, OnGap: trace.ResyncOnGap},
		`{"seq":1,"kind":"namespace","op":"update","id":"a","object":{"clusters":{"c1":"Sync"}}}`,
		`{"seq":2,"kind":"namespace","op":"update","id":"b","object":{"clusters":{"c1":"Sync"}}}`,
		`{"seq":4,"kind":"namespace","op":"snapshot","id":"b","object":{"clusters":{"c1":"Sync"}}}`,
		`{"seq":5,"kind":"namespace","op":"snapshot","id":"c","object":{"clusters":{}}}`,
	)
	var got []string
	for _, w := range result.Liveness[0].Waiting {
		got = append(got, fmt.Sprintf("%d %s", w.SinceLine, w.ID))
	}
	if want := []string{"4 b", "4 c"}; !slices.Equal(got, want) {
		t.Errorf("waiting are %q, want %q", got, want)
	}
}
