package swarmkit

import (
	"slices"
	"strconv"
	"strings"

	"tracecheck/trace"
	"tracecheck/trace/codec"
)

// A leader that loses its leadership gives up a write that has no answer yet. It computes
// its next write from the state before, and both are committed. The recorder gives the
// first the store's version as tx, and the next ones this version with a count.

// wrote is a task's value before the steps of a version.
type wrote struct {
	t              *task
	state, desired State
	placed         bool // it had a node
}

// logHistory has the places of the last steps in the leader's log.
type logHistory struct {
	repeats bool    // this step has the version of the one before
	version int64   // of the last step; 0: none
	entry   int64   // the least version of what comes next
	wrote   []wrote // by the steps of this version
}

// begin compares the step's version with the last one. It reports whether an entry of the
// log is missing between them. No recording has a new leader's first entry.
func (l *logHistory) begin(tx trace.Tx) (missed bool) {
	l.repeats = false
	if base, count, counted := strings.Cut(tx.Text(), "+"); counted && l.version != 0 {
		version, err := strconv.ParseInt(base, 10, 64)
		n, err2 := strconv.ParseInt(count, 10, 64)
		if l.repeats = err == nil && err2 == nil && version == l.version; l.repeats {
			l.entry = version + n + 1
			return false
		}
	}
	missed = l.version != 0 && tx.Number() > l.entry
	l.entry = tx.Number() + 1
	return missed
}

// keep notes the values of the step's tasks before its version. A leader's batch has at
// most maxChanges.
func (l *logHistory) keep(tx trace.Tx, tasks []taskChange) {
	if !l.repeats {
		clear(l.wrote)
		l.version, l.wrote = tx.Number(), l.wrote[:0]
	}
	if l.version == 0 {
		return
	}
	for i := range tasks {
		t := &tasks[i]
		if t.was && t.is && !t.remade && len(l.wrote) < maxChanges && l.before(t) == nil {
			l.wrote = append(l.wrote, wrote{t.record, t.old.state, t.old.desired, t.old.node != nil})
		}
	}
}

// before returns the task's value before the step's version. It is nil if no earlier step
// of this version changed the task.
func (l *logHistory) before(t *taskChange) *wrote {
	if !l.repeats {
		return nil
	}
	for i := range l.wrote {
		if w := &l.wrote[i]; w.t == t.record {
			return w
		}
	}
	return nil
}

// of returns the value without the writes of the version.
func (w *wrote) of(v taskValue) taskValue {
	v.state, v.desired = w.state, w.desired
	if !w.placed {
		v.node = nil
	}
	return v
}

var undoneWrite = &allowance{Action: action{
	Name: "undone-write", Actor: "orchestrator",
	Doc: "A leader loses its leadership during a write. It computes its next write without the first, and the new leader commits both. The step is accepted provisionally: a change of leader must follow.",
	Bind: func(p *pair) bool {
		if len(p.tasks) != 1 || !p.tasks[0].was || !p.tasks[0].is || p.tasks[0].remade {
			return false
		}
		p.setTask(&p.tasks[0])
		return p.whole.history.log.before(p.t) != nil
	},
	Clauses: []clause{
		{
			Text:  `tx is the version of the step before, with a count; t differs from u, its value before the first step of this version`,
			Holds: func(p *pair) bool { return p.whole.history.log.before(p.t).of(p.t.old) != p.t.old },
		},
		{
			Text: `t' has u's value of each of state, desired_state and node in which t differs from u`, Effect: true,
			Holds: func(p *pair) bool {
				u, t, now := p.whole.history.log.before(p.t).of(p.t.old), &p.t.old, &p.t.new
				return (u.state == t.state || u.state == now.state) &&
					(u.desired == t.desired || u.desired == now.desired) &&
					(u.node == t.node || u.node == now.node)
			},
			Shows: showState,
		},
	},
}, Relaxes: `TransitionsOK permits no step backwards, neither of the state nor of desired_state`, Source: "manager/state/raft/raft.go, processInternalRaftRequest"}

var undoRules = relation{&undoneWrite.Action}

// undo looks for tasks in which this step undoes an earlier write of the same version. The
// rules then judge the rest of the step from the value before that write.
func (e *explainer) undo() {
	var rest []taskChange
	for i, c := range e.m.tasks {
		if e.try(e.part(e.m.tasks[i:i+1], nil), undoRules) {
			u := e.w.history.log.before(&c).of(c.old)
			e.w.undone = append(e.w.undone, undone{c.old, u})
			if c.old = u; c.old == c.new {
				continue
			}
		}
		rest = append(rest, c)
	}
	e.m.tasks = rest
}

// undone is a task's value before and after a write is undone.
type undone struct{ old, new taskValue }

// wrote saves one, or restores it.
func (p *persister) wrote(w *wrote) {
	p.taskOf(&w.t)
	member(p.Codec, &w.state, Orphaned)
	member(p.Codec, &w.desired, Orphaned)
	codec.Bool(p.Codec, &w.placed)
}

// log saves the writes of the last version, without tasks that were deleted since.
func (p *persister) log(l *logHistory) {
	list := l.wrote
	if !p.Reading() {
		list = slices.DeleteFunc(slices.Clone(list), func(w wrote) bool { return p.s.tasks.Get(w.t.id) != w.t })
	}
	codec.Int(p.Codec, &l.version)
	codec.Int(p.Codec, &l.entry)
	if codec.Slice(p.Codec, &list, p.wrote); p.Reading() {
		l.wrote = list
	}
}
