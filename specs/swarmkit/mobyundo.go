package swarmkit

import (
	"slices"
	"strconv"
	"strings"

	"tracecheck/trace"
	"tracecheck/trace/codec"
)

// A leader that ends gives up a write that has no answer yet. It computes the
// next one from the state before, and both are committed. The recorder names the
// first by the store's version, and those that follow by this version and a
// count.

// wrote is what a task was before the steps of a version changed it.
type wrote struct {
	t              *task
	state, desired State
	placed         bool // it had a node
}

// logHistory is where the last steps are in the leader's log.
type logHistory struct {
	repeats bool    // this step has the version of the one before
	version int64   // of the last step; 0: none
	entry   int64   // the least version of what comes next
	wrote   []wrote // by the steps of this version
}

// begin relates a step to those before it, by their versions. It reports whether an
// entry is missing between them: a new leader begins with one of its own, which no
// recording has.
func (l *logHistory) begin(tx trace.Tx) (missed bool) {
	base, count, counted := strings.Cut(tx.Text(), "+")
	version, err := strconv.ParseInt(base, 10, 64)
	n, err2 := strconv.ParseInt(count, 10, 64)
	if l.repeats = l.version != 0 && counted && err == nil && err2 == nil && version == l.version; l.repeats {
		l.entry = version + n + 1
		return false
	}
	missed = l.version != 0 && tx.Number() > l.entry
	l.entry = tx.Number() + 1
	return missed
}

// keep notes what the step's tasks were before its version. A leader's batch has
// no more than maxChanges.
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

// before is what the task was before the step's version; nil: no earlier step of
// that version changed it.
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

// of is the value with what the steps of the version wrote taken back.
func (w *wrote) of(v taskValue) taskValue {
	v.state, v.desired = w.state, w.desired
	if !w.placed {
		v.node = nil
	}
	return v
}

var undoneWrite = &allowance{Action: action{
	Name: "undone-write", Actor: "orchestrator",
	Doc: "A leader that ends gives up a write, computes the next one without it, and its successor commits both. The step is taken on credit: a change of leader must follow.",
	Bind: func(p *pair) bool {
		if len(p.tasks) != 1 || !p.tasks[0].was || !p.tasks[0].is || p.tasks[0].remade {
			return false
		}
		p.setTask(&p.tasks[0])
		return p.whole.history.log.before(p.t) != nil
	},
	Clauses: []clause{
		{
			Text:  `tx is that of the step before with a count; u, which t was before the first step of this version, differs from t`,
			Holds: func(p *pair) bool { return p.whole.history.log.before(p.t).of(p.t.old) != p.t.old },
		},
		{
			Text: `t' has u's state, desired_state and node, in each of these in which u differs from t`, Effect: true,
			Holds: func(p *pair) bool {
				u, t, now := p.whole.history.log.before(p.t).of(p.t.old), &p.t.old, &p.t.new
				return (u.state == t.state || u.state == now.state) &&
					(u.desired == t.desired || u.desired == now.desired) &&
					(u.node == t.node || u.node == now.node)
			},
			Shows: showState,
		},
	},
}, Relaxes: `TransitionsOK: states go forwards; a desired state does not go back`, Source: "manager/state/raft/raft.go, processInternalRaftRequest"}

var undoRules = relation{&undoneWrite.Action}

// undo takes back what an earlier step of the same version wrote, if this one
// does: the rest of the step goes by the state before that.
func (e *explainer) undo() {
	tasks := e.m.tasks
	if !slices.ContainsFunc(tasks, func(c taskChange) bool { return e.w.history.log.before(&c) != nil }) {
		return
	}
	var rest []taskChange
	for i := range tasks {
		c := tasks[i]
		if e.try(e.part(tasks[i:i+1], nil), undoRules) {
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

// undone is a task's value before and after a write is taken back.
type undone struct{ old, new taskValue }

// wrote writes one down, or makes it again.
func (p *persister) wrote(w *wrote) {
	p.taskOf(&w.t)
	member(p.Codec, &w.state, Orphaned)
	member(p.Codec, &w.desired, Orphaned)
	codec.Bool(p.Codec, &w.placed)
}

// log is what the steps of the last version wrote, without tasks that are gone.
func (p *persister) log(l *logHistory) {
	list := l.wrote
	if !p.Reading() {
		list = nil
		for _, w := range l.wrote {
			if p.s.tasks.Get(w.t.id) == w.t {
				list = append(list, w)
			}
		}
	}
	codec.Int(p.Codec, &l.version)
	codec.Int(p.Codec, &l.entry)
	if codec.Slice(p.Codec, &list, p.wrote); p.Reading() {
		l.wrote = list
	}
}
