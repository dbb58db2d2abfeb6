package kcpstorage

import (
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"testing"

	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

func namespaceLine(id, c, state string) string {
	return fmt.Sprintf(`{"kind":"namespace","op":"update","id":%q,"object":{"clusters":{%q:%q}}}`, id, c, state)
}

func pvcLine(id, namespace, c, state string) string {
	return fmt.Sprintf(`{"kind":"pvc","op":"update","id":%q,"object":{"namespace":%q,"clusters":{%q:%q}}}`, id, namespace, c, state)
}

func syncerLine(c, namespace, state string) string {
	return fmt.Sprintf(`{"kind":"syncer","op":"update","id":%q,"object":{"namespace":%q,"pvc_state":%q}}`, c, namespace, state)
}

// watched is a machine without a configuration, with the machine's state.
func watched(t testing.TB, lines ...string) (validators.Machine, *State) {
	t.Helper()
	var s *State
	m := *text
	m.New = func(c validators.Config) (made *State, err error) {
		s, err = newState(c)
		return s, err
	}
	j, _ := validatorstest.Machine(t, m.Spec(), validators.Config{}, lines...)
	return j, s
}

func count[T any](all iter.Seq[T]) (n int) {
	for range all {
		n++
	}
	return n
}

// TestConformingStepsDoNotAllocate: once everything has been shown.
func TestConformingStepsDoNotAllocate(t *testing.T) {
	var round []string
	for _, c := range []string{"c1", "c2"} {
		for _, state := range []string{"Sync", "nil"} {
			for _, namespace := range []string{"a", "b"} {
				round = append(round, namespaceLine(namespace, c, state), pvcLine("disk-"+namespace, namespace, c, state), syncerLine(c, namespace, state))
			}
		}
	}
	all := validatorstest.Steps(t, append(round, strings.Join(round[:6], "\n"), strings.Join(round[6:12], "\n"))...)
	for _, mode := range []validators.Steps{validators.Atomic, validators.Batched} {
		m, _ := validatorstest.Machine(t, Spec, validators.Config{Steps: mode, Ledger: validators.NewLedger(len(waits))})
		rounds := all
		if mode == validators.Atomic {
			rounds = all[:len(round)]
		}
		take := func(list []*trace.Step) {
			for _, step := range list {
				if found, judged, err := m.Step(step); len(found) > 0 || !judged || err != nil {
					t.Fatalf("%v %v %v", found, judged, err)
				}
			}
		}
		take(rounds)
		if allocs := testing.AllocsPerRun(20, func() { take(rounds[:len(round)]) }); allocs != 0 {
			t.Errorf("%s: %v allocations for a round of %d steps, want none", mode, allocs, len(round))
		}
	}
}

// TestLargeBatch: many namespaces, with many PVCs and syncers, in one step.
func TestLargeBatch(t *testing.T) {
	const spaces, pvcs, clusters = 100, 50, 50
	var lines []string
	for i := range spaces {
		ns := fmt.Sprintf("ns%d", i)
		lines = append(lines, namespaceLine(ns, "c0", "Sync"))
		for k := range pvcs {
			lines = append(lines, pvcLine(fmt.Sprintf("pvc%d-%d", i, k), ns, fmt.Sprintf("c%d", k%clusters), "Sync"))
		}
		for k := range clusters {
			lines = append(lines, syncerLine(fmt.Sprintf("c%d", k), ns, "Sync"))
		}
	}
	slices.Sort(lines)
	for _, c := range []struct {
		more string
		want []string
	}{
		{namespaceLine("ns7", "c3", "nil"), []string{"Inv_UsableByAtMostOne"}},
		{namespaceLine("ns7", "c3", "Sync"), []string{"Next", "Inv_NSAtMostOneCluster", "Inv_UsableByAtMostOne"}},
	} {
		m, _ := validatorstest.Machine(t, Spec, validators.Config{Steps: validators.Batched})
		found, _, err := m.Step(validatorstest.Steps(t, strings.Join(append(lines, c.more), "\n"))[0])
		if err != nil {
			t.Fatal(err)
		}
		var rules []string
		for _, f := range found {
			rules = append(rules, f.Rule)
		}
		slices.Sort(rules)
		slices.Sort(c.want)
		if !slices.Equal(rules, c.want) {
			t.Errorf("with %s: %v, want %v", c.more, rules, c.want)
		}
		// Each cluster is assigned to once, and all but the first are left again.
		if want := spaces * (2*clusters - 1 + pvcs + clusters); !slices.Contains(rules, "Next") && len(m.Explanation()) != want {
			t.Errorf("explained by %d actions, want %d", len(m.Explanation()), want)
		}
	}
}

// TestManyPVCs: the cost of a step does not grow with what exists.
func TestManyPVCs(t *testing.T) {
	const n = 20000
	lines := []string{strings.Replace(namespaceLine("data", "c1", "Sync"), "update", "snapshot", 1)}
	for i := range n {
		lines = append(lines, strings.Replace(pvcLine(fmt.Sprintf("pvc%d", i), "data", "c1", "Sync"), "update", "snapshot", 1))
	}
	m, s := watched(t, lines...)
	claim := `{"kind":"namespace","op":"update","id":"data","action":"PVCController","object":{}}`
	round := validatorstest.Steps(t, claim, namespaceLine("data", "c1", "nil"), namespaceLine("data", "c2", "Sync"), pvcLine("pvc5", "data", "c1", "nil"))
	for i, want := range []string{"", "", "", "Next"} {
		found, _, err := m.Step(round[i])
		if err != nil || (len(found) > 0) != (want != "") {
			t.Fatalf("step %d: %v %v", i, found, err)
		}
	}
	// No PVC is as the namespace any more, so that none can stutter.
	if found, _, _ := m.Step(round[0]); len(found) != 1 || found[0].Kind != validators.OfClaim {
		t.Errorf("%v, want a claim that is not met", found)
	}
	was, empty := nilEverywhere.With(s.clusters.Find("c1"), Sync), nilEverywhere
	sp := s.namespaces.Get("data").Value
	if sp.pvcs != n || sp.alike.Of(&was) != n-1 || sp.alike.Of(&empty) != 1 {
		t.Errorf("%d PVCs, %v so often alike; want %d as they were and one nil", sp.pvcs, sp.alike, n-1)
	}
}

// TestNothingIsKeptOfNothing: what does not exist takes no memory.
func TestNothingIsKeptOfNothing(t *testing.T) {
	m, s := watched(t)
	for _, step := range validatorstest.Steps(t,
		`{"kind":"namespace","op":"delete","id":"a"}`,
		`{"kind":"pvc","op":"delete","id":"p","object":{"namespace":"b"}}`,
		`{"kind":"syncer","op":"delete","id":"c1","object":{"namespace":"c"}}`,
		namespaceLine("d", "c1", "Sync"),
		pvcLine("q", "d", "c1", "Sync"),
		syncerLine("c1", "d", "Sync"),
		`{"kind":"namespace","op":"delete","id":"d"}`,
		`{"kind":"pvc","op":"delete","id":"q"}`,
		`{"kind":"syncer","op":"delete","id":"c1"}`,
	) {
		if _, _, err := m.Step(step); err != nil {
			t.Fatal(err)
		}
	}
	spaces, pvcs, syncers := count(s.namespaces.All()), count(s.pvcs.All()), count(s.syncers.All())
	if spaces != 0 || pvcs != 0 || syncers != 0 || len(s.places) != 0 || m.Live() != 0 {
		t.Errorf("left: %d namespaces, %d PVCs, %d syncers; %d places, %d live", spaces, pvcs, syncers, len(s.places), m.Live())
	}
}

// TestConstant: what the constant may be.
func TestConstant(t *testing.T) {
	for raw, ok := range map[string]bool{`["c1"]`: true, `["c1","c2"]`: true, `[]`: false, `"c1"`: false, `[1]`: false, `null`: false} {
		_, err := Spec.New(validators.Config{Constants: map[string]string{"clusters": raw}})
		if (err == nil) != ok {
			t.Errorf("clusters = %s: %v", raw, err)
		}
	}
}

// TestDocumentedExample: the trace of the documentation is the case's, and what
// is said of it is what the case expects.
func TestDocumentedExample(t *testing.T) {
	read := func(path string) string {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	doc := read("../../docs/kcpstorage-example.md")
	var lines []string
	for _, line := range strings.Split(read("testdata/usable_by_two.txt"), "\n") {
		if strings.HasPrefix(line, "{") {
			lines = append(lines, line)
		}
		if _, message, ok := strings.Cut(line, "# want invariant Inv_UsableByAtMostOne: "); ok && !strings.Contains(doc, message) {
			t.Errorf("the documentation does not have the message %q", message)
		}
	}
	if block := "```json\n" + strings.Join(lines, "\n") + "\n```"; !strings.Contains(doc, block) {
		t.Errorf("the documentation does not have the trace\n%s", block)
	}
}
