package workerimpl_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tracecheck/specs/internal/oracle"
	"tracecheck/validators/validatorstest"
)

// TestBatchedPairs: single batched steps between random states, reachable or
// not, by walks that change few objects, or by nothing at all.
func TestBatchedPairs(t *testing.T) {
	cases, accepted, rejected, unknown := 0, 0, 0, 0
	for seed := range validatorstest.Seeds(t, 800) {
		cases++
		rng := rand.New(rand.NewPCG(1<<32, seed))
		o := caseOpts{ids: 2 + rng.IntN(3), nodes: 1 + rng.IntN(2), workers: 1, unreachable: true, batched: true}
		w := newWalker(rng, o)
		start := w.state
		if oracle.Chance(rng, 0.5) {
			start.nodes[0] = isUp
			w.state = start
		}
		w.model.may = &changeable{}
		for range 1 + rng.IntN(3) {
			k := rng.IntN(o.ids)
			w.model.may.tasks[k] = w.model.may.tasks[k] || oracle.Chance(rng, 0.7)
			w.model.may.conts[k] = w.model.may.conts[k] || oracle.Chance(rng, 0.7)
		}
		for n := range o.nodes {
			w.model.may.nodes[n] = oracle.Chance(rng, 0.3)
		}
		steps := []walkStep{{from: start, to: start}}
		for range 2 + rng.IntN(12) {
			from := w.state
			b := oBatch{may: *w.model.may}
			if step, ok := w.step(); ok && b.allowed(step.from, step.to) {
				steps = append(steps, step)
			} else {
				w.state = from
			}
		}
		out := writer{rng: rng, claims: oracle.Chance(rng, 0.2)}
		if oracle.Chance(rng, 0.4) { // to some other state instead
			to := steps[len(steps)-1].to
			k := rng.IntN(o.ids)
			if oracle.Chance(rng, 0.5) && to.tasks[k].here {
				id := to.tasks[k]
				to.tasks[k] = w.randomTask(k)
				to.tasks[k].service, to.tasks[k].slot = id.service, id.slot
				if id.slot == globalMode {
					to.tasks[k].node = id.node
				}
			} else if to.conts[k].here {
				to.conts[k].state = uint8(rng.IntN(len(oConts)))
			}
			steps = append(steps, walkStep{steps[len(steps)-1].to, to, "UpdateTask", nil})
		}
		events := []oracle.Event{{Kind: "meta", Object: map[string]any{"format": 1.0, "spec": []any{"workerimpl"}, "steps": "batched"}}}
		for _, obj := range allObjects(start) {
			events = append(events, out.whole("snapshot", obj, start))
		}
		step := out.batch(steps)
		if len(step) == 0 || len(allObjects(start)) == 0 {
			continue
		}
		lines := oracle.Render(out.rng, append(events, step...), 0)
		want := judge(lines, 6000)
		if want.unknown {
			unknown++
			continue
		}
		got := run(t, lines)
		if !want.agrees(got) {
			t.Fatalf("seed %d:\n%s\nwant %+v\ngot of lines %v, %v %v\n%s", seed,
				strings.Join(lines, "\n"), want, got.steps, got.kinds, got.lines, describe(got.result))
		}
		if len(want.kinds) == 0 {
			accepted++
			if !follows(lines, got.explanation) {
				t.Fatalf("seed %d:\n%s\n[%s] does not lead there", seed,
					strings.Join(lines, "\n"), strings.Join(got.explanation, ", "))
			}
		} else if slices.Contains(want.kinds, "transition") {
			rejected++
		}
	}
	t.Logf("%d accepted, %d rejected, %d unknown", accepted, rejected, unknown)
	if accepted < cases/10 || rejected < cases/10 || unknown > cases/2 {
		t.Errorf("of %d cases %d accepted, %d rejected, %d unknown: too one-sided to show anything", cases, accepted, rejected, unknown)
	}
}

// follows says whether the named actions, in order and each a step of WSSpec
// too, are what the trace's last step does, for some node as the worker.
func follows(lines []string, names []string) bool {
	j := judging{cap: 1, workers: map[int8]bool{}}
	c := j.last(lines)
	for worker := otherwhere; worker < maxNodes; worker++ {
		if worker == nobody || len(j.workers) > 0 && !j.workers[worker] {
			continue
		}
		b := c.batch(worker, 1)
		b.from, b.to = b.from.seenBy(worker), b.to.seenBy(worker)
		u := universe{identities: b.ids, may: &b.may}
		at := map[oState]bool{b.from: true}
		for _, name := range names {
			next := map[oState]bool{}
			for s := range at {
				for _, step := range successors(s, worker, u) {
					if step.action == name && b.allowed(s, step.next) && refinesWorkerSpec(s, step.next, worker) {
						next[step.next] = true
					}
				}
			}
			if at = next; len(at) > 20000 {
				return true // too many to tell
			}
		}
		for s := range at {
			if b.done(s) {
				return true
			}
		}
	}
	return false
}

// last folds the lines, and returns the last step.
func (j *judging) last(lines []string) change {
	c := change{asked: map[int8]opinion{}, badOf: map[object]bool{}, lines: map[object]int{}, deleted: map[object]bool{}, remade: map[object]bool{}}
	for i, text := range lines {
		e := oracle.Parse(text, i+1)
		if e.Kind == "meta" {
			continue
		}
		if e.Op != "snapshot" && j.snapshots {
			j.snapshots = false
			c.came, c.start, c.before = [maxNodes]bool{}, c.after, c.after
			c.ids = identitiesOf(c.before)
		} else if e.Op == "snapshot" {
			j.snapshots = true
		}
		c.apply(e, false)
	}
	for _, n := range c.named {
		j.workers[n] = true
	}
	return c
}
