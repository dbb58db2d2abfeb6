package workerimpl_test

import (
	"math"
	"slices"

	"tracecheck/specs/internal/oracle"
)

// verdict is the oracle's judgement of a trace: its first violating step.
type verdict struct {
	first, last int       // the step's lines; 0 where the trace conforms
	line        int       // the violation's, where it can be but one; else 0
	kinds       []string  // what must be reported, sorted
	open        []string  // what may be reported beside
	typeFirst   bool      // a value outside its type is reported before all else
	late        []verdict // earlier steps that a node could not explain which is a worker, as this one shows
	unknown     bool      // no verdict: a search was cut off, or the contract is silent
}

// judge reads a trace of one stream and judges it. searchCap bounds each
// batched search.
func judge(lines []string, searchCap int) verdict {
	j := judging{cap: searchCap, workers: map[int8]bool{}}
	return j.judge(lines)
}

func (j *judging) judge(lines []string) verdict {
	var v verdict
	oracle.Steps(lines, func(about map[string]any) { j.batched = about["steps"] == "batched" }, func(run []oracle.Event) bool {
		v = j.run(run)
		j.wait(run[len(run)-1].Line, run[0].Op == "snapshot")
		return len(v.kinds)+len(v.late) == 0 && !v.unknown
	})
	return v
}

type judging struct {
	state     oState
	batched   bool
	snapshots bool // the stream has shown a snapshot
	workers   map[int8]bool
	history   []change // all steps
	cap       int
	waits     map[string]oWait
	asIs      bool // steps are taken as they are
}

// change is a run of lines on its way to be a step.
type change struct {
	start         oState // before the lines
	before, after oState // with the nodes that appear
	first, last   int    // lines
	lines         map[object]int
	claims        []oClaim
	ids           []oIdentity // that the lines show
	named         []int8      // workers
	deleted       map[object]bool
	remade        map[object]bool
	gone, came    [maxNodes]bool // nodes that the environment takes away or brings
	badValue      bool           // a value outside its type
	badNode       bool           // of a node that appears
	badGone       bool           // of an object that the step deletes again
	badThenGood   bool           // perhaps: another line of the step is of the same object
	badOf         map[object]bool
	badOp         bool // an op that does not fit what exists
	moved         bool // an update of a task's service or vslot, or of a container's node
	unknownName   bool // a claim of what there is not
	asked         map[int8]opinion
}

func (j *judging) run(run []oracle.Event) verdict {
	c := change{
		start: j.state, before: j.state, after: j.state, first: run[0].Line, last: run[len(run)-1].Line,
		asked: map[int8]opinion{}, badOf: map[object]bool{}, lines: map[object]int{}, deleted: map[object]bool{}, remade: map[object]bool{},
	}
	snapshot := run[0].Op == "snapshot"
	j.snapshots = j.snapshots || snapshot
	c.ids = identitiesOf(c.before)
	for _, e := range run {
		was := c.badValue
		c.badThenGood = c.badThenGood || c.badOf[object{e.Kind, indexOf(e)}]
		c.apply(e, !j.snapshots)
		if c.badValue && !was {
			c.badOf[object{e.Kind, indexOf(e)}] = true
		}
	}
	newly := []int8{}
	for _, n := range c.named {
		if !j.workers[n] {
			j.workers[n] = true
			newly = append(newly, n)
		}
	}
	v := verdict{first: c.first, last: c.last}
	switch {
	case c.badValue:
		v.kinds, v.open, v.typeFirst = []string{"type"}, []string{"claim", "property"}, true
		if snapshot {
			break
		}
		if before, after := c.ends(); c.badNode || before == after && c.badGone || c.badThenGood {
			v.open = append(v.open, "transition") // a node that appears so is the environment's doing
		} else {
			v.kinds = append(v.kinds, "transition")
		}
	case c.badOp || c.moved:
		v.kinds, v.open = []string{"transition"}, []string{"claim", "property", "type"}
	case snapshot, j.asIs:
	default:
		if c.unknownName {
			v.kinds = append(v.kinds, "claim")
		}
		j.explain(&c, &v)
	}
	if !c.badValue && !c.after.typeOK() && !c.badOp {
		v.kinds = append(v.kinds, "type")
	}
	j.state = c.after
	if !snapshot && !j.asIs {
		j.late(newly, &v)
		c.claims, c.asked = nil, map[int8]opinion{}
		j.history = append(j.history, c)
	}
	slices.Sort(v.kinds)
	v.kinds = slices.Compact(v.kinds)
	if len(v.kinds)+len(v.late) == 0 && !v.unknown {
		return verdict{}
	}
	return v
}

// nodes are those that the trace has shown.
func (s oState) shown() []int8 {
	var all []int8
	for n := range int8(maxNodes) {
		if s.nodes[n] != absent {
			all = append(all, n)
		}
	}
	return all
}

// ends are the step's states without the environment's doing: nodes that appear
// were there, nodes that disappear are there yet.
func (c *change) ends() (before, after oState) {
	before, after = c.before, c.after
	for n := range maxNodes {
		if c.gone[n] {
			after.nodes[n] = before.nodes[n]
		}
	}
	return before, after
}

// onlyLine is the line of the one object that differs, 0 where several do.
func (c *change) onlyLine() int {
	line := 0
	before, after := c.ends()
	for o, at := range c.lines {
		if !changedObject(before, after, o) {
			continue
		}
		if line != 0 {
			return 0
		}
		line = at
	}
	return line
}

// batch makes the step a question for the instance of a worker.
func (c *change) batch(worker int8, searchCap int) oBatch {
	before, after := c.ends()
	b := oBatch{from: before, to: after, worker: worker, ids: slices.Concat(c.ids, identitiesOf(after)), claims: c.claims, cap: searchCap}
	for i := range maxIDs {
		t, k := object{"task", i}, object{"container", i}
		b.may.tasks[i] = before.tasks[i] != after.tasks[i] || c.deleted[t]
		b.may.conts[i] = before.conts[i] != after.conts[i] || c.deleted[k]
		b.stays.tasks[i] = before.tasks[i].here && after.tasks[i].here && !c.deleted[t]
		b.stays.conts[i] = before.has(i, worker) && after.has(i, worker) && !c.deleted[k]
		for _, o := range []object{t, k} {
			if c.remade[o] && changedObject(before, after, o) && (o.kind == "task" || before.conts[i].node == worker && after.conts[i].node == worker) {
				b.remade = append(b.remade, o)
			}
		}
	}
	for n := range maxNodes {
		b.may.nodes[n] = before.nodes[n] != after.nodes[n] || c.gone[n] || c.came[n]
		if c.gone[n] {
			b.to.nodes[n] = removed
		}
	}
	return b
}

// whole reads a whole number or "global".
func whole(v any) (int8, bool) {
	if v == "global" {
		return globalMode, true
	}
	if f, ok := v.(float64); ok && f == math.Trunc(f) && f >= 1 && f < 100 {
		return int8(f), true
	}
	return -1, false
}
