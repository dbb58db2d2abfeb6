package portallocator_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tracecheck/internal/exhaustive"
	"tracecheck/specs/internal/oracle"
	"tracecheck/specs/internal/swarm"
	"tracecheck/specs/portallocator"
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

var specs = []*validators.Spec{portallocator.Spec}

func TestCutCases(t *testing.T) { validatorstest.CutCases(t, portallocator.Spec) }

// TestCutRecordings: of real swarms, by either profile.
func TestCutRecordings(t *testing.T) {
	places := exhaustive.Or(3, 20)
	for _, name := range []string{"ports28.jsonl.gz", "settled.jsonl.gz", "settled28.jsonl.gz", "crash28.jsonl.gz", "mixed.jsonl"} {
		lines := validatorstest.ReadTrace(t, filepath.Join("../../testdata/traces", name))
		for _, profile := range []string{validators.ProfileSpec, swarm.Moby} {
			validatorstest.CutSome(t, name+" "+profile, lines, validators.Options{
				Specs: specs, Select: []string{"portallocator"}, Profile: profile, Deadline: time.Second}, places, 1)
		}
	}
}

// TestCutTraces: of walks and their mutants, in every mode.
func TestCutTraces(t *testing.T) {
	for seed := range validatorstest.Seeds(t, 400) {
		rng := rand.New(rand.NewPCG(seed, 12))
		lines := mutants(rng, mutatorNames()...)
		if oracle.Chance(rng, 0.5) {
			lines = nil
			for lines == nil {
				lines = genTrace(rng)
			}
		}
		opts := validators.Options{Specs: specs, Attach: oracle.Chance(rng, 0.3), Profile: oracle.Pick(rng, []string{validators.ProfileSpec, swarm.Moby})}
		if oracle.Chance(rng, 0.3) {
			opts.Steps = validators.Batched
		}
		validatorstest.CutLines(t, lines, opts, seed)
	}
}

// TestCutAnyInput: of lines that need not make sense.
func TestCutAnyInput(t *testing.T) {
	for seed := range validatorstest.Seeds(t, 800) {
		rng := rand.New(rand.NewPCG(seed, 13))
		lines := make([]string, 1+rng.IntN(25))
		for i := range lines {
			lines[i] = noise(rng)
		}
		validatorstest.CutLines(t, lines, validators.Options{
			Specs: specs, Attach: oracle.Chance(rng, 0.4), Steps: oracle.Pick(rng, []validators.Steps{validators.Atomic, validators.Batched}),
			Profile:   oracle.Pick(rng, []string{validators.ProfileSpec, swarm.Moby}),
			Constants: map[string]string{"dynamic_ports": "[30000,30001]"},
		}, seed)
	}
}

// TestCutShared: of an address that several endpoints have had, it stays the
// same which of them is logged, or that it is not known.
func TestCutShared(t *testing.T) {
	endpoint := func(op, id string) string {
		ports := `[{"name":"p","protocol":"tcp","mode":"ingress","published_port":80}]`
		return fmt.Sprintf(`{"kind":"endpoint","op":%q,"id":%q,"object":{"spec":%s,"ports":%s}}`, op, id, ports, ports)
	}
	remove, logged := `{"kind":"endpoint","op":"delete","id":"b"}`, `{"kind":"allocator","op":"create","object":{"allocated":["tcp/80"]}}`
	for _, lines := range [][]string{
		{endpoint("create", "c"), endpoint("create", "b"), endpoint("create", "a")},                 // b has it, as the last
		{endpoint("create", "c"), endpoint("create", "b"), remove, logged, endpoint("create", "a")}, // not known
	} {
		text := strings.Join(lines, "\n")
		validatorstest.CutAll(t, "shared:\n"+text+"\n", []byte(text), validators.Options{Specs: specs})
	}
}

// TestLive: as many objects exist as are listed.
func TestLive(t *testing.T) {
	most := 0
	for seed := range validatorstest.Seeds(t, 400) {
		rng := rand.New(rand.NewPCG(seed, 14))
		lines := make([]string, 30)
		for i := range lines {
			lines[i] = noise(rng)
		}
		past(t, lines, validators.Options{Before: func(_ *trace.Step, _ string, m validators.Machine) {
			listed := 0
			m.Objects(func(trace.Kind, string, []byte) { listed++ })
			if live := m.Live(); live != listed {
				t.Fatalf("seed %d: %d objects exist, %d are listed\n%s", seed, live, listed, strings.Join(lines, "\n"))
			}
			most = max(most, listed)
		}})
	}
	if most < 4 {
		t.Errorf("no more than %d objects exist at once", most)
	}
}

// TestSavedFollowsWhatLives: what came and went takes no room.
func TestSavedFollowsWhatLives(t *testing.T) {
	size := func(live, rounds int) int {
		var lines []string
		endpoint := func(op string, i, number int) {
			ports := fmt.Sprintf(`[{"name":"p","protocol":"tcp","mode":"ingress","published_port":%d}]`, number)
			lines = append(lines, fmt.Sprintf(`{"kind":"endpoint","op":%q,"id":"e%d","object":{"spec":%s,"ports":%s}}`, op, i, ports, ports))
		}
		for i := range live {
			endpoint("create", 100+i, 100+i)
		}
		for i := range rounds {
			endpoint("create", i%10, 1000+i)
			endpoint("update", i%10, 2000+i)
			lines = append(lines, fmt.Sprintf(`{"kind":"endpoint","op":"delete","id":"e%d"}`, i%10))
		}
		return validatorstest.SavedSize(t, lines, validators.Options{Specs: specs})
	}
	few, old, many := size(20, 1), size(20, 300), size(200, 1)
	if old > few+20 {
		t.Errorf("20 endpoints take %d bytes, and after 300 more came and went %d", few, old)
	}
	if many < 5*few || many > 20*few {
		t.Errorf("20 endpoints take %d bytes, 200 take %d", few, many)
	}
}

// TestShownAgain: what a snapshot shows again stays as it is after other lines.
func TestShownAgain(t *testing.T) {
	line := func(op, id, name string) string {
		ports := fmt.Sprintf(`[{"name":%q,"protocol":"tcp","mode":"ingress","published_port":80},{"name":"other","protocol":"tcp","mode":"ingress","published_port":80}]`, name)
		return fmt.Sprintf(`{"kind":"endpoint","op":%q,"id":%q,"object":{"spec":%s,"ports":%s}}`, op, id, ports, ports)
	}
	lines := []string{line("snapshot", "a", "first"), line("snapshot", "a", "first"), line("snapshot", "b", "again"), line("snapshot", "b", "again")}
	var got string
	past(t, append(lines, `{"kind":"endpoint","op":"delete","id":"b"}`), validators.Options{Before: func(_ *trace.Step, _ string, m validators.Machine) {
		m.Objects(func(_ trace.Kind, id string, object []byte) { got += id + " " + string(object) + "\n" })
	}})
	if n := strings.Count(got, `"first"`); n != 2 || strings.Count(got, `"again"`) != 2 {
		t.Errorf("the endpoints are\n%s", got)
	}
}
