package explain

import (
	"slices"

	"tracecheck/postmortem/replay"
	"tracecheck/trace"
	"tracecheck/validators"
)

// tracked is a step with the histories of its objects.
type tracked struct {
	*step
	after   int            // number of later events in each history
	wanting int            // number of histories that need more of them
	replay  *replay.Stream // of the stream, for the step's objects
	begun   bool           // the step's first line was read
	over    bool           // its last line was read
	counted bool           // it was counted as done
	reads   reads          // the objects that its clauses read
	follows []*follow
}

// followed is a stream with such steps.
type followed struct {
	seq    trace.Sequencer
	sink   trace.Counted
	steps  []*tracked
	replay replay.Stream // of the steps' objects, and of those that Apply infers fields from
	begun  bool          // the first event was applied: it shows whether the stream begins in Init
}

func follows(judge *validators.Options) *followed {
	f := &followed{seq: trace.Sequencer{OnGap: judge.OnGap, Remember: judge.Remember}}
	f.sink = trace.Counted{Each: f.each, Again: f.again}
	return f
}

func (f *followed) add(t *tracked) { f.steps, t.replay = append(f.steps, t), &f.replay }

// take takes the stream's next event.
func (f *followed) take(ev *trace.Event) {
	_ = f.seq.Push(ev, &f.sink) // the runner reports errors
}

func (f *followed) end() {
	_ = f.seq.Close(&f.sink)
	for _, t := range f.steps {
		t.account.Read = t.reads.found()
	}
}

func (f *followed) each(ev *trace.Event) {
	applies := replay.Infers(ev.Kind) || !f.begun
	f.begun = f.begun || ev.Kind != trace.KindMeta
	of := object{ev.Kind, ev.ID, f.replay.Namespace(ev)}
	for _, t := range f.steps {
		t.begin(ev)
		applies = applies || slices.ContainsFunc(t.objects, object{kind: ev.Kind, id: ev.ID}.is)
	}
	if applies {
		f.replay.Apply(ev)
	}
	for _, t := range f.steps {
		t.take(ev, of)
	}
}

// again drops the events of an earlier recording.
func (f *followed) again() {
	f.replay, f.begun = replay.Stream{}, false
	for _, t := range f.steps {
		if !t.begun {
			t.restart()
		}
	}
}

func (t *tracked) restart() {
	t.reads.forget()
	for i := range t.account.Objects {
		t.account.Objects[i].Before = []validators.Event{}
	}
	for _, f := range t.follows {
		f.last = lastStep{}
		for i := range f.causes {
			clear(f.now[i])
			clear(f.saw[i])
			f.causes[i].States = 0
			for k := range f.causes[i].Guards {
				g := &f.causes[i].Guards[k]
				*g = Guard{Clause: g.Clause, Values: g.Values}
			}
		}
	}
}

// begin notes the step's objects before its first event.
func (t *tracked) begin(ev *trace.Event) {
	if t.begun || ev.Pos != t.first {
		return
	}
	t.begun = true
	for i, o := range t.objects {
		c := validators.Change{Kind: o.kind.String(), ID: o.id}
		if was := t.state(o); was != nil {
			c.Before = was.JSON()
		} else if first := t.line(o); first != nil && len(t.account.Objects[i].Before) == 0 {
			c.Before = t.replay.Initial(first)
		}
		t.account.Changes = append(t.account.Changes, c)
	}
}

// take adds the event of an object to the histories of the step's objects.
func (t *tracked) take(ev *trace.Event, of object) {
	if at := slices.IndexFunc(t.objects, of.is); at >= 0 {
		h := &t.account.Objects[at]
		switch {
		case !t.begun:
			h.Before = append(h.Before, event(ev))
		case t.over && len(h.After) < t.after:
			if h.After = append(h.After, event(ev)); len(h.After) == t.after {
				t.wanting--
			}
		}
	} else if !t.begun {
		t.reads.take(ev)
	}
	if !t.over && ev.Pos == t.last {
		t.over = true
		for i, o := range t.objects {
			if is := t.state(o); is != nil {
				t.account.Changes[i].After = is.JSON()
			}
		}
	}
}

// state returns the step's object as it is in the replay, nil if it does not exist.
func (t *tracked) state(o object) *replay.Object {
	if ev := t.line(o); ev != nil {
		return t.replay.ObjectOf(ev)
	}
	return t.replay.Object(o.kind, o.id)
}

// line is the step's first event of the object. nil: the step is a run of snapshots.
func (t *tracked) line(o object) *trace.Event {
	for i := range t.whole.Events {
		if ev := &t.whole.Events[i]; o.is(objectOf(ev)) {
			return ev
		}
	}
	return nil
}

// done reports whether all histories are complete.
func (t *tracked) done() bool {
	untried := slices.ContainsFunc(t.follows, func(f *follow) bool { return !f.done })
	return t.over && !untried && (t.after == 0 || t.wanting == 0)
}
