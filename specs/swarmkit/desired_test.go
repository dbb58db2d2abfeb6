package swarmkit_test

import (
	"encoding/json"
	"maps"
	"testing"

	"tracecheck/internal/kinds"
	"tracecheck/specs/internal/oracle"
	"tracecheck/specs/swarmkit"
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// desired is InDesiredState, read off the objects that exist.
func desired(t *testing.T, m validators.Machine, maxTerminated int) bool {
	t.Helper()
	type task struct {
		Service, Node, State string
		Slot                 any
	}
	type service struct {
		Replicas any
		Remove   bool
	}
	services, nodes, tasks := map[string]service{}, map[string]bool{}, []task{}
	m.Objects(func(kind trace.Kind, id string, object []byte) {
		var err error
		switch kind {
		case kinds.Service:
			var s service
			err = json.Unmarshal(object, &s)
			services[id] = s
		case kinds.Node:
			nodes[id] = true
		case kinds.Task:
			var v task
			err = json.Unmarshal(object, &v)
			tasks = append(tasks, v)
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	for sid, s := range services {
		running, on, dead := 0, map[string]bool{}, map[any]int{}
		for _, t := range tasks {
			if t.Service != sid {
				continue
			}
			vslot := t.Slot
			if t.Slot == "global" {
				vslot = t.Node
			}
			switch t.State {
			case "running":
				running++
				on[t.Node] = true
			case "complete", "shutdown", "failed", "rejected", "orphaned":
				dead[vslot]++
			}
		}
		if s.Remove {
			return false
		}
		if s.Replicas == "global" {
			if running != len(nodes) || !maps.Equal(on, nodes) {
				return false
			}
		} else if float64(running) != s.Replicas {
			return false
		}
		for _, n := range dead {
			if n > maxTerminated {
				return false
			}
		}
	}
	return true
}

// desiredSink judges a stream's steps and compares after each.
type desiredSink struct {
	t       *testing.T
	m       validators.Machine
	limit   int
	yes, no *int
}

func (d *desiredSink) Meta(*trace.Event) error { return nil }
func (d *desiredSink) Lost(*trace.Error)       {}
func (d *desiredSink) Begin() error            { return nil }
func (d *desiredSink) Snapshot(ev *trace.Event) error {
	d.m.Snapshot(ev)
	return nil
}
func (d *desiredSink) SnapshotsEnd() error { d.m.SnapshotsEnd(); return d.check() }
func (d *desiredSink) Step(step *trace.Step) error {
	if _, _, err := d.m.Step(step); err != nil {
		return err
	}
	return d.check()
}

func (d *desiredSink) check() error {
	want := desired(d.t, d.m, d.limit)
	if got := d.m.InDesiredState(); got != want {
		var state string
		d.m.Objects(func(kind trace.Kind, id string, object []byte) {
			state += kind.String() + " " + id + " " + string(object) + "\n"
		})
		d.t.Fatalf("in the desired state: got %v, want %v of\n%s", got, want, state)
	}
	if want {
		*d.yes++
	} else {
		*d.no++
	}
	return nil
}

// TestInDesiredState: kept step by step along random traces, it is what the
// definition says of each state.
func TestInDesiredState(t *testing.T) {
	yes, no := 0, 0
	for seed := range validatorstest.Seeds(t, 600) {
		rng := oracle.NewRand(seed)
		lines, _ := genCase(rng, caseOpts{steps: 60, batched: seed%2 == 0, unreachable: seed%3 == 0, environment: true})
		limit := int(seed % 3)
		m, err := swarmkit.Spec.New(validators.Config{Steps: validators.Batched, Budget: validators.DefaultBudget,
			Constants: map[string]string{"max_terminated": string(rune('0' + limit))}})
		if err != nil {
			t.Fatal(err)
		}
		validatorstest.Sequence(t, trace.Sequencer{}, &desiredSink{t, m, limit, &yes, &no}, lines...)
	}
	if yes < 100 || no < 100 {
		t.Errorf("%d states in the desired state and %d not: too few to show anything", yes, no)
	}
	t.Logf("%d states in the desired state, %d not", yes, no)
}
