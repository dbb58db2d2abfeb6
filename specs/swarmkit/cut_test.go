package swarmkit_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"tracecheck/specs/internal/oracle"
	"tracecheck/specs/internal/swarm"
	"tracecheck/specs/swarmkit"
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// A run that is cut and gone on with from what it saved says what one without a
// break says.

func TestCutCases(t *testing.T) { validatorstest.CutCases(t, swarmkit.Spec) }

func TestCutNoise(t *testing.T) {
	for _, n := range noise {
		validatorstest.CutNoise(t, swarmkit.Spec, n, 3000)
	}
}

func TestCutWalks(t *testing.T) {
	for seed := range validatorstest.Seeds(t, 800) {
		rng := oracle.NewRand(seed)
		lines := genTrace(rng, randomOpts(rng))
		if lines == nil {
			continue
		}
		opts := validators.Options{Specs: []*validators.Spec{swarmkit.Spec}, Attach: oracle.Chance(rng, 0.2), OnGap: trace.OnGap(rng.IntN(2))}
		if oracle.Chance(rng, 0.3) {
			opts.Deadline = time.Duration(1+rng.IntN(20)) * time.Second
		}
		if oracle.Chance(rng, 0.3) {
			opts.Profile = swarm.Moby
		}
		if i := rng.IntN(len(lines)); oracle.Chance(rng, 0.2) {
			lines = append(lines[:i:i], lines[i+1:]...)
		}
		validatorstest.CutSome(t, fmt.Sprintf("seed %d", seed), []byte(strings.Join(lines, "\n")), opts, 5, seed)
	}
}

// TestTasksInParts: tasks are written in parts while tasks of the same service
// come and go, in slots that lie close together, far apart, or are nodes.
func TestTasksInParts(t *testing.T) {
	for seed := range validatorstest.Seeds(t, 60) {
		rng := oracle.NewRand(seed)
		profile := []string{validators.ProfileSpec, swarm.Moby}[seed%2]
		lines := []string{fmt.Sprintf(`{"kind":"meta","object":{"profile":%q,"steps":"batched"}}`, profile)}
		add := func(kind, op, id, object string) {
			lines = append(lines, fmt.Sprintf(`{"kind":%q,"op":%q,"id":%q,"object":{%s}}`, kind, op, id, object))
		}
		for i := range 40 {
			add("node", "snapshot", fmt.Sprint("n", i), `"state":"up"`)
		}
		add("service", "snapshot", "g", `"replicas":"global","remove":false`)
		add("service", "snapshot", "r", `"replicas":9,"remove":false`)
		type place struct {
			slot string
			node int
		}
		existing := map[string]place{}
		for i := range 400 {
			op := "create"
			if i < 60 {
				op = "snapshot"
			}
			if names := slices.Sorted(maps.Keys(existing)); len(names) > 0 && i >= 60 && oracle.Chance(rng, 0.6) {
				name := names[rng.IntN(len(names))]
				if oracle.Chance(rng, 0.7) {
					lines = append(lines, fmt.Sprintf(`{"kind":"task","op":"delete","id":%q}`, name))
					delete(existing, name)
				} else {
					add("task", "update", name, fmt.Sprintf(`"state":%q`, []string{"running", "failed", "ready"}[rng.IntN(3)]))
				}
				continue
			}
			name, at := fmt.Sprint("t", i), place{slot: `"global"`, node: rng.IntN(40)}
			service := "g"
			if oracle.Chance(rng, 0.5) {
				service, at.slot = "r", fmt.Sprint(1+rng.IntN(9)*[]int{1, 1000}[rng.IntN(2)])
			}
			add("task", op, name, fmt.Sprintf(`"service":%q,"slot":%s,"node":"n%d","state":"running","desired_state":"running"`, service, at.slot, at.node))
			existing[name] = at
		}
		opts := validators.Options{Specs: []*validators.Spec{swarmkit.Spec}, Budget: 100}
		validatorstest.CutSome(t, fmt.Sprintf("seed %d", seed), []byte(strings.Join(lines, "\n")), opts, 1, seed)
	}
}

// What waits is a function of the state, or it could not be asked for again.
func TestWhatWaitsFollowsFromTheState(t *testing.T) {
	for _, n := range noise {
		for seed := range validatorstest.Seeds(t, 4000) {
			lines, opts := n.Draw(oracle.NewRand(seed), swarmkit.Spec)
			opts.Budget = 2000
			checkFollowed(t, seed, lines, opts)
		}
	}
	for seed := range validatorstest.Seeds(t, 800) {
		rng := oracle.NewRand(seed)
		checkFollowed(t, seed, genTrace(rng, randomOpts(rng)), validators.Options{Attach: oracle.Chance(rng, 0.2)})
	}
}

func checkFollowed(t *testing.T, seed uint64, lines []string, opts validators.Options) {
	t.Helper()
	var machine validators.Machine
	opts.Specs, opts.KeepGoing = []*validators.Spec{swarmkit.Spec}, true
	opts.Before = func(_ *trace.Step, _ string, m validators.Machine) { machine = m }
	opts.OnStep = func(step *trace.Step, _ string, _ []string, _ []validators.Finding) {
		if wrong := swarmkit.Unfollowed(machine); wrong != "" {
			t.Fatalf("seed %d, profile %s, attach %t, after line %d: %s\n%s", seed, opts.Profile, opts.Attach, step.Last().Line, wrong, strings.Join(lines, "\n"))
		}
	}
	r, err := validators.NewRunner(opts)
	if err != nil {
		t.Fatal(err)
	}
	validatorstest.Push(t, r, lines...)
}

// What is saved is what exists, not what ever existed.
func TestSavedSizeFollowsWhatLives(t *testing.T) {
	for _, profile := range []string{validators.ProfileSpec, swarm.Moby} {
		r, err := validators.NewRunner(validators.Options{
			Specs: []*validators.Spec{swarmkit.Spec}, Profile: profile, KeepGoing: true,
			Constants: map[string]string{"max_terminated": "0"},
		})
		if err != nil {
			t.Fatal(err)
		}
		var d trace.Decoder
		line := 0
		push := func(format string, args ...any) {
			var ev trace.Event
			line++
			if err := d.Decode(fmt.Appendf(nil, format, args...), trace.Pos{File: "f", Line: line}, &ev); err != nil {
				t.Fatal(err)
			}
			if err := r.Push([]trace.Event{ev}); err != nil {
				t.Fatal(err)
			}
		}
		saved := func() (size int) {
			r.Save(true, func(_ string, state []byte) { size = len(state) })
			return size
		}
		push(`{"kind":"node","op":"snapshot","id":"n1","object":{"state":"up"}}`)
		push(`{"kind":"service","op":"snapshot","id":"web","object":{"replicas":1,"remove":false}}`)
		early := 0
		for i := range 10_000 {
			push(`{"kind":"task","op":"create","id":"t%06d","object":{"service":"web","slot":1,"node":"","state":"new","desired_state":"running"}}`, i)
			if i > 0 {
				push(`{"kind":"task","op":"update","id":"t%06d","object":{"desired_state":"remove"}}`, i-1)
				push(`{"kind":"task","op":"delete","id":"t%06d"}`, i-1)
			}
			push(`{"kind":"task","op":"update","id":"t%06d","object":{"state":"pending"}}`, i)
			push(`{"kind":"task","op":"update","id":"t%06d","object":{"state":"assigned","node":"n1"}}`, i)
			push(`{"kind":"task","op":"update","id":"t%06d","object":{"state":"rejected"}}`, i)
			if i == 10 {
				early = saved()
			}
		}
		found, _ := r.Take()
		if profile == validators.ProfileSpec && len(found) > 0 {
			t.Errorf("%+v", found[0])
		}
		const counters = 64 // some numbers are larger by now
		if late := saved(); early == 0 || late > early+counters {
			t.Errorf("profile %s: %d bytes are saved of three objects after 10,000 tasks, %d after ten", profile, late, early)
		}
	}
}
