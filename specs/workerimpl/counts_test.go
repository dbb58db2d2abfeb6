package workerimpl_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/specs/internal/oracle"
	"tracecheck/specs/workerimpl"
	"tracecheck/trace"
	"tracecheck/trace/codec"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// counted hands a stream to a machine, and looks at its counts and at what
// waits after each step.
type counted struct {
	validators.Machine
	t      *testing.T
	ledger *validators.Ledger
	make   func() (validators.Machine, *validators.Ledger)
	lines  []string
	steps  int
}

func (c *counted) Meta(*trace.Event) error        { return nil }
func (c *counted) Begin() error                   { return nil }
func (c *counted) Lost(*trace.Error)              { c.Machine.Lost() }
func (c *counted) Snapshot(ev *trace.Event) error { c.Machine.Snapshot(ev); return nil }
func (c *counted) SnapshotsEnd() error            { c.Machine.SnapshotsEnd(); return c.check() }
func (c *counted) Step(step *trace.Step) error {
	if _, _, err := c.Machine.Step(step); err != nil {
		return err
	}
	c.steps++
	return c.check()
}

func (c *counted) check() error {
	listed := 0
	c.Objects(func(trace.Kind, string, []byte) { listed++ })
	if live := c.Machine.Live(); live != listed {
		c.t.Fatalf("%s\n%d objects exist, %d are listed", strings.Join(c.lines, "\n"), live, listed)
	}
	again := c.again()
	if err := errors.Join(workerimpl.CheckCounts(c.Machine), workerimpl.CheckWaits(c.Machine),
		workerimpl.CheckCounts(again), workerimpl.CheckWaits(again)); err != nil {
		c.t.Fatalf("%s\n%v", strings.Join(c.lines, "\n"), err)
	}
	return nil
}

// again is the machine as it is made again from what it writes.
func (c *counted) again() validators.Machine {
	w := codec.Writer(nil)
	c.Machine.Persist(w)
	r := codec.Reader(w.Data())
	c.ledger.Persist(codec.Writer(nil), false) // which a save ends with
	m, _ := c.make()
	if m.Persist(r); r.Close() != nil {
		c.t.Fatalf("%s\n%v", strings.Join(c.lines, "\n"), r.Err())
	}
	return m
}

// TestCounts: whatever happens, the counts and waits are those of what exists,
// and of what is made of it again.
func TestCounts(t *testing.T) {
	cases := exhaustive.Or[uint64](300, 1500)
	steps := 0
	for i := range cases {
		rng := rand.New(rand.NewPCG(5, i))
		o := randomOpts(rng)
		o.mutations = rng.IntN(5)
		lines := genTrace(rng, o)
		config := validators.Config{Steps: validators.Atomic, Budget: validators.DefaultBudget, Attach: oracle.Chance(rng, 0.3)}
		if o.batched {
			config.Steps = validators.Batched
		}
		newMachine := func() (validators.Machine, *validators.Ledger) {
			config.Ledger = validators.NewLedger(workerimpl.Waits)
			m, err := workerimpl.Spec.New(config)
			if err != nil {
				t.Fatal(err)
			}
			return m, config.Ledger
		}
		c := &counted{t: t, make: newMachine, lines: lines}
		c.Machine, c.ledger = newMachine()
		validatorstest.Sequence(t, trace.Sequencer{OnGap: trace.ResyncOnGap}, c, lines...)
		steps += c.steps
	}
	if steps < int(cases) {
		t.Errorf("%d steps in %d traces: too few to show anything", steps, cases)
	}
}
