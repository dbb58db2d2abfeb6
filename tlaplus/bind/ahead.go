package bind

import (
	"maps"
	"sync/atomic"

	"tracecheck/tlaplus/eval"
	"tracecheck/tlaplus/value"
	"tracecheck/trace"
)

// The steps of lines can be made on another goroutine, while the invariants are judged in the
// states before. That goroutine has a program of its own, since what evaluation remembers is in
// the program. Its results are used as long as each line has exactly one state after it, and
// the machine comes to the same line in the same state. All else is judged as if there were
// none: where a line has an error or a finding, the line is evaluated again.

// ahead makes steps before their lines are judged.
type ahead struct {
	p    *program // nil: it is not loaded yet, or cannot be used
	done atomic.Bool
	bad  bool // it cannot be used

	lines int         // of the program, until ahead is worth its memory
	plain *eval.State // whose values goroutines may share

	m     machine // of the other goroutine
	stop  atomic.Bool
	full  chan []taken // closed at the end
	empty chan []taken
	now   []taken // the rest of those that are taken
	used  []taken // all of them
	open  bool    // more may come

	events []trace.Event // to be tried
	tried  int           // of them, once full is closed
	rest   []trace.Event // behind the line whose result is not to be used
}

// taken is a line with the step that it makes.
type taken struct {
	raw      string
	line     int         // its number
	from, to *eval.State // to is nil where the line is no event
	by       string
	made     int // states
	work     int
}

const (
	worthAhead = 500 // lines of a program
	leastTried = 8   // lines, to try those behind a line whose result is not to be used
	mostTaken  = 32  // lines that are handed over at once
	mostFull   = 4   // pieces with so many lines
)

// Anticipate implements validators.Anticipator.
func (m *machine) Anticipate(events []trace.Event) (stop func()) {
	if m.b.Objects() || m.p == nil || !m.begun || len(m.frontier) != 1 || len(m.reserve) > 0 ||
		len(m.p.silent) > 0 || len(m.p.spec.Properties) > 0 || len(m.p.spec.Invariants) == 0 {
		return nil
	}
	if m.p.ahead == nil {
		m.p.ahead = &ahead{}
	}
	a := m.p.ahead
	if !a.ready(m, len(events)) {
		return nil
	}
	from := m.frontier[0].state
	if a.plain != from && !allPlain(from, nil) || !allPlain(&eval.State{Vals: m.initial}, nil) {
		return nil
	}
	a.plain, a.p.initial = from, m.initial
	a.m = machine{b: m.b, c: m.c, p: a.p, begun: true, header: m.header, initial: m.initial, lines: m.lines, credit: m.credit,
		frontier: []*node{{state: from}}, index: a.m.index}
	a.stop.Store(false)
	a.full, a.open, a.events, a.tried, a.rest = make(chan []taken, mostFull), true, events, 0, nil
	go a.work()
	return a.end
}

// ready reports whether there is a program. It is loaded beside the judging of lines.
func (a *ahead) ready(m *machine, lines int) bool {
	switch {
	case a.bad:
		return false
	case a.lines < worthAhead:
		if a.lines += lines; a.lines >= worthAhead {
			go a.load(m.b, m.p, m.header)
		}
		return false
	case !a.done.Load():
		return false
	}
	if a.bad = a.p == nil; a.bad {
		return false
	}
	if a.empty == nil {
		a.m.index = map[uint64]*node{}
		a.empty = make(chan []taken, mostFull+2)
		for range mostFull + 2 {
			a.empty <- make([]taken, 0, mostTaken)
		}
	}
	return true
}

// load loads the program, unless its text is no longer that of the other one.
func (a *ahead) load(b *Bind, other *program, header string) {
	defer a.done.Store(true)
	p, err := b.loadBeside(other, header, false)
	if err == nil && maps.Equal(maps.Collect(p.spec.Sources()), maps.Collect(other.spec.Sources())) {
		a.p = p
	}
}

// work makes the steps of the lines, on the other goroutine.
func (a *ahead) work() {
	defer close(a.full)
	list := <-a.empty
	for ; a.tried < len(a.events) && !a.stop.Load(); a.tried++ {
		t, ok := a.line(a.events[a.tried].Raw)
		if !ok {
			break
		}
		if list = append(list, t); len(list) == mostTaken {
			a.full <- list
			list = <-a.empty
		}
	}
	a.full <- list
}

// line makes the step of a line. ok is false where its result is not to be used.
func (a *ahead) line(raw string) (t taken, ok bool) {
	bad := guarded(func() { t, ok = a.make(raw) })
	return t, ok && bad == nil
}

func (a *ahead) make(raw string) (t taken, ok bool) {
	m := &a.m
	m.p.run.Reset()
	e, bad := m.p.json.text(raw, m.b.shapes.field(lineName))
	if bad != "" {
		return t, false
	}
	from := m.frontier[0]
	t = taken{raw: raw, line: m.lines, from: from.state}
	if is, err := m.isEvent(e); err != nil || !is {
		return t, err == nil && m.p.run.Untouched()
	}
	s := &m.p.now
	if m.interpret(s, e) != nil || !m.restricts(s) {
		return t, false
	}
	m.made = 0
	if m.follow(m.frontier, 0, m.lines, s) != nil || len(m.frontier) != 1 || len(m.reserve) > 0 || !m.p.run.Untouched() {
		return t, false
	}
	to := m.frontier[0]
	if !allPlain(to.state, from.state) {
		return t, false
	}
	t.to, t.by, t.made, t.work = to.state, to.by, m.made, m.p.run.Work
	m.lines++
	to.from, to.also, to.next, to.by = nil, nil, nil, ""
	return t, true
}

// allPlain reports whether goroutines may share the values of a state. Those of was may be
// shared.
func allPlain(st, was *eval.State) bool {
	for i, v := range st.Vals {
		var old value.Value
		if was != nil {
			old = was.Vals[i]
		}
		if !value.Plain(v, old) {
			return false
		}
	}
	return true
}

// madeAhead is the step of a line that was made ahead; nil: there is none.
func (m *machine) madeAhead(ev *trace.Event) *taken {
	a := m.p.ahead
	if a == nil || !m.begun {
		return nil
	}
	if !a.open {
		if len(a.rest) == 0 || a.rest[0].Raw != ev.Raw {
			a.drop()
			return nil
		}
		if m.Anticipate(a.rest) == nil {
			a.rest = a.rest[1:]
			return nil
		}
	}
	if len(a.now) == 0 && !a.more() {
		return nil
	}
	t := &a.now[0]
	a.now = a.now[1:]
	if len(m.frontier) != 1 || len(m.reserve) > 0 || m.frontier[0].state != t.from || m.lines != t.line || ev.Raw != t.raw {
		a.end()
		return nil
	}
	if t.to != nil {
		a.plain = t.to
	}
	return t
}

// more waits for the next lines.
func (a *ahead) more() bool {
	a.free()
	if a.used, a.open = <-a.full; !a.open && a.tried >= leastTried && a.tried < len(a.events) {
		a.rest = a.events[a.tried+1:]
	}
	a.now = a.used
	return len(a.now) > 0
}

// free gives back a piece whose lines are taken.
func (a *ahead) free() {
	if a.used != nil {
		clear(a.used)
		a.empty <- a.used[:0]
		a.used, a.now = nil, nil
	}
}

// end returns when the other goroutine reads the lines no more.
func (a *ahead) end() {
	a.stop.Store(true)
	for a.open {
		a.more()
	}
	a.free()
	a.drop()
}

// drop forgets the lines.
func (a *ahead) drop() { a.events, a.rest = nil, nil }
