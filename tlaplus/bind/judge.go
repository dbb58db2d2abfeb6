package bind

import (
	"cmp"
	"fmt"
	"slices"

	"tracecheck/tlaplus/eval"
	"tracecheck/tlaplus/tracespec"
	"tracecheck/tlaplus/value"
	"tracecheck/trace"
	"tracecheck/validators"
)

// step takes the step of a line from each state of the frontier.
func (m *machine) step(ev *trace.Event, s *meaning) ([]validators.Finding, error) {
	m.made = 0
	from, err := m.advance(reserve{line: m.lines, nodes: m.frontier}, s, ev.Pos, ev.Raw)
	if err != nil {
		return nil, err
	}
	if reached := m.frontier; len(m.reserve) > 0 && allBroken(reached) {
		if err := m.back(s, ev); err != nil {
			return nil, err
		}
		if len(m.frontier) == 0 {
			m.frontier = reached
		}
	}
	if len(m.frontier) == 0 && m.dropped {
		return nil, fmt.Errorf("no path that was tried explains the line, but some were not tried: the log leaves too many states possible; log more values, or raise --max-states")
	}
	m.keep(ev)
	m.lines++
	if len(m.frontier) == 0 {
		found := []validators.Finding{m.unexplained(ev, from, s)}
		m.frontier = m.overlaid(from, s)
		m.note(ev)
		m.settle(ev.Pos)
		return found, nil
	}
	return m.explain(ev), nil
}

// take is step for a line whose steps were made ahead.
func (m *machine) take(t *taken, ev *trace.Event) ([]validators.Finding, error) {
	from := m.frontier[0]
	m.made, m.p.run.Level, m.p.run.Work = t.made, m.lines+1, t.work
	m.frontier = []*node{{state: t.to, from: from, broke: from.broke, by: t.by}}
	if err := m.checkAll(m.frontier, ev.Pos, ev.Raw); err != nil {
		return nil, err
	}
	m.keep(ev)
	m.lines++
	return m.explain(ev), nil
}

// explain notes how a line was explained, and gives its verdict.
func (m *machine) explain(ev *trace.Event) []validators.Finding {
	m.explained()
	m.note(ev)
	return m.verdict(ev)
}

// advance makes the frontier after a line, from the states before it, and judges it. It
// returns the states that the line was tried in.
func (m *machine) advance(r reserve, s *meaning, at trace.Pos, raw string) ([]*node, error) {
	from := r.nodes
	if len(m.p.silent) > 0 && !r.closed {
		all, err := m.before(r, s, at, raw)
		if err != nil {
			return nil, err
		}
		from = all
	}
	if err := m.follow(from, r.skip, r.line, s); err != nil {
		return nil, err
	}
	return from, m.checkAll(m.frontier, at, raw)
}

// restart makes the frontier the states from which a line's steps begin.
func (m *machine) restart(from []*node) error {
	clear(m.index)
	m.frontier = nil
	for _, n := range from {
		if err := m.add(n.state, nil); err != nil {
			return err
		}
		last := m.frontier[len(m.frontier)-1]
		last.down, last.broke, last.trail = n.down, n.broke, n.trail
	}
	return nil
}

// before is the states with what silent steps lead to, nearest first. If that is too wide,
// the states are kept for later, to make all of it then. From then on, only the steps that a
// line may need are taken first.
func (m *machine) before(r reserve, s *meaning, at trace.Pos, raw string) ([]*node, error) {
	relevant := m.b.opts.Without&eval.Relevant == 0 && !r.all
	if !relevant || !m.many {
		wide, err := m.silently(r.nodes, nil, r.all, at, raw)
		if err != nil || !wide {
			return m.frontier, err
		}
	}
	m.many = true
	m.putAll(r)
	if !relevant {
		return m.frontier, nil
	}
	_, err := m.silently(r.nodes, m.relevant(r.nodes, s), false, at, raw)
	return m.frontier, err
}

// silently makes the frontier the states with what silent steps lead to that write one of the
// variables; nil: any. It stops if that is too wide, unless all of it is wanted.
func (m *machine) silently(from []*node, relevant []int, all bool, at trace.Pos, raw string) (wide bool, err error) {
	if err := m.restart(from); err != nil || relevant != nil && len(relevant) == 0 {
		return false, err
	}
	work := m.p.run.Work
	layer := m.frontier
	for depth := 0; depth < m.b.file.depth && len(layer) > 0 && !wide; depth++ {
		known := len(m.frontier)
		if wide, err = m.layer(layer, relevant, all, work); err != nil {
			return wide, err
		}
		if layer, err = m.judged(known, at, raw); err != nil {
			return wide, err
		}
	}
	return wide, nil
}

// layer adds the states that one silent step leads to from some.
func (m *machine) layer(from []*node, relevant []int, all bool, work int) (wide bool, err error) {
	for _, n := range from {
		writes := func(st *eval.State) bool {
			return relevant == nil || slices.ContainsFunc(relevant, func(v int) bool { return !value.Identical(st.Vals[v], n.state.Vals[v]) })
		}
		for _, silent := range m.p.silent {
			var full error
			err := m.p.spec.Makes(m.p.run, n.state, []eval.Condition{silent}, "", nil, func(st *eval.State) bool {
				if !writes(st) {
					return true
				}
				known := len(m.frontier)
				if full = m.add(st, n); len(m.frontier) > known {
					m.frontier[known].by = m.taken("")
				}
				wide = !all && len(m.frontier) >= leastClosed && m.wide(m.p.run.Work-work)
				return full == nil && !wide
			})
			if err = cmp.Or(err, full); err != nil || wide {
				return wide, err
			}
		}
	}
	return false, nil
}

// judged judges the states that silent steps have led to, of the frontier from known on. It
// returns the states for the next silent step: these, and earlier ones to which only now a
// path leads that breaks nothing.
func (m *machine) judged(known int, at trace.Pos, raw string) ([]*node, error) {
	next := slices.Clone(m.frontier[known:])
	if err := m.checkAll(next, at, raw); err != nil {
		return nil, err
	}
	for _, n := range m.frontier[:known] {
		if n.broke == nil || len(n.also) == 0 {
			continue
		}
		was := *n
		n.also = slices.DeleteFunc(n.also, func(from *node) bool { return from.broke != nil })
		if err := m.checkAll([]*node{n}, at, raw); err != nil {
			return nil, err
		}
		if n.broke != nil {
			*n = was
		} else {
			n.trail, next = nil, append(next, n)
		}
		n.also = nil
	}
	return next, nil
}

// relevant are the variables that the first failed clause of the line reads in each of the
// nearest states; nil: it reads none, or they are not known. In a state without a failed
// clause, no silent step is needed.
func (m *machine) relevant(from []*node, s *meaning) []int {
	work, list := m.p.run.Work, []int{}
	defer func() { m.p.run.Work = work }() // an explanation is not part of the search
	for _, n := range from[:min(len(from), leastWidth)] {
		why, explained := &eval.Why{}, false
		err := m.p.spec.Makes(m.p.run, n.state, s.list, s.plan.name, why, func(*eval.State) bool {
			explained = true
			return false
		})
		if err != nil {
			return nil
		}
		if explained {
			continue
		}
		names := tracespec.Named(why.Attempts(), 1)
		known := len(list)
		for i, name := range m.p.spec.Variables {
			if names[name] {
				list = append(list, i)
			}
		}
		if len(list) == known {
			return nil
		}
	}
	return list
}

// follow makes the frontier after the line. States for which it is too wide are kept
// for later.
func (m *machine) follow(from []*node, skip, line int, s *meaning) error {
	clear(m.index)
	m.frontier = nil
	m.p.run.Level = line + 1
	hinted := len(m.p.spec.Properties) > 0
	work := m.p.run.Work
	var to struct { // one piece of memory
		n       *node
		full    error
		made    int
		stopped bool
	}
	take := func(st *eval.State) bool {
		if s.plan.through != "" && !m.p.run.Takes(s.plan.through) {
			return true
		}
		if to.made++; to.n == from[0] && to.made <= skip {
			return true
		}
		if to.stopped = m.wide(m.p.run.Work - work); to.stopped {
			return false
		}
		known := len(m.frontier)
		if to.full = m.add(st, to.n); to.full != nil {
			return false
		}
		if len(m.frontier) > known {
			made := m.frontier[known]
			made.by = m.taken(s.plan.name)
			if hinted {
				made.hints = m.p.run.Hints()
			}
		}
		return true
	}
	for i, n := range from {
		to.n, to.made = n, 0
		err := m.p.spec.Makes(m.p.run, n.state, s.list, "", nil, take)
		if err == nil {
			err = to.full
		}
		if err != nil {
			return err
		}
		if to.stopped {
			m.put(reserve{line: line, closed: true, skip: to.made - 1, nodes: from[i:]})
			break
		}
	}
	return nil
}

// taken is the action that makes the current state: where the name is none, the action
// that the step has gone through.
func (m *machine) taken(name string) string {
	if _, ok := m.p.names[name]; !ok {
		return cmp.Or(m.p.run.Taken(m.p.names), name)
	}
	return name
}

// checkAll judges the states that steps have led to. Of several paths to a state, one
// counts that breaks nothing.
func (m *machine) checkAll(list []*node, pos trace.Pos, raw string) error {
	for _, n := range list {
		for k := -1; k < len(n.also); k++ {
			if k >= 0 {
				n.from, n.broke, n.down, n.hints = n.also[k], n.also[k].broke, 0, nil
			}
			if n.broke == nil && n.from != nil {
				if err := m.check(n, pos, raw); err != nil {
					return err
				}
			}
			if n.broke == nil {
				break
			}
		}
	}
	return nil
}

// check judges a state by the invariants, and the step to it by the properties.
func (m *machine) check(n *node, pos trace.Pos, raw string) error {
	if err := m.checkState(n, pos, raw); err != nil {
		return err
	}
	return m.checkStep(n, pos, raw)
}

// breaks notes what the path to a state breaks first.
func (m *machine) breaks(n *node, pos trace.Pos, raw string, kind validators.ViolationKind, p *eval.Predicate, name string, step bool) {
	if n.broke == nil {
		n.broke = &breach{kind: kind, rule: name, text: p.Place(), at: placeAt(pos, raw)}
		m.explainBreach(n, p, step)
	}
}

func (m *machine) checkState(n *node, pos trace.Pos, raw string) error {
	r, from := m.p.run, n.from
	for i := range m.p.spec.Invariants {
		p := &m.p.spec.Invariants[i]
		bit := uint64(1) << i
		if from != nil && !p.Depends(r, from.state, n.state) {
			n.down |= from.down & bit
			continue
		}
		ok, err := p.HoldsAgain(r, n.state)
		if err != nil {
			return err
		}
		if !ok {
			n.down |= bit
			if from == nil || from.down&bit == 0 {
				m.breaks(n, pos, raw, validators.OfInvariant, p, p.Name, false)
			}
		}
	}
	return nil
}

func (m *machine) checkStep(n *node, pos trace.Pos, raw string) error {
	r, from := m.p.run, n.from
	for _, prop := range m.p.spec.Properties {
		list := prop.Steps
		if from == nil {
			list = prop.Initial
		}
		for i := range list {
			var ok bool
			var err error
			if from != nil {
				ok, err = list[i].Explains(r, from.state, n.state, n.hints)
			} else {
				ok, err = list[i].Holds(r, n.state, nil)
			}
			if err != nil {
				return err
			}
			if !ok {
				m.breaks(n, pos, raw, validators.OfProperty, &list[i], prop.Name, from != nil)
			}
		}
	}
	return nil
}

// explainBreach finds the clause of the rule that is FALSE.
func (m *machine) explainBreach(n *node, p *eval.Predicate, step bool) {
	why := &eval.Why{}
	var err error
	if step {
		err = p.Refuses(m.p.run, n.from.state, n.state, why)
	} else {
		err = p.Fails(m.p.run, n.state, why)
	}
	list := why.Attempts()
	text := failing(list, ": not ")
	if err != nil {
		text += "; the explanation ends with an error: " + err.Error()
	}
	var before *eval.State
	if n.from != nil {
		before = n.from.state
	}
	n.broke.why = reason{tracespec.Near(list, n.broke.at.raw), m.bindings(before, n.state.Vals, list), m.history(list), text}
}

// verdict is what all paths break, once there is none that breaks nothing: of the path
// that broke nothing for longest.
func (m *machine) verdict(ev *trace.Event) []validators.Finding {
	if !allBroken(m.frontier) {
		m.settle(ev.Pos)
		return nil
	}
	b := m.frontier[0].broke
	for _, n := range m.frontier {
		if n.broke.at.line > b.at.line {
			b = n.broke
		}
	}
	f := validators.Finding{Kind: b.kind, Rule: b.rule, Pos: ev.Pos, Text: b.text, State: b.why.State, Nearest: b.why.Nearest, History: b.why.History}
	what := "the step of this line breaks"
	if b.at.line == 0 {
		what = "the initial state breaks"
	} else if b.at.file != ev.Pos.File || b.at.line != ev.Pos.Line {
		f.Pos = trace.Pos{File: b.at.file, Line: b.at.line}
		f.First, f.Last = f.Pos, f.Pos
	}
	f.Message = fmt.Sprintf("%s %s of %s%s", what, b.rule, m.p.spec.Root, b.why.Text)
	for _, n := range m.frontier {
		n.broke = nil
	}
	m.settle(ev.Pos)
	return []validators.Finding{f}
}

// settle releases what only the current line needs.
func (m *machine) settle(at trace.Pos) {
	if m.b.paths {
		at = ownPos(at)
	}
	for _, n := range m.frontier {
		if m.b.paths {
			n.linked(at)
		}
		n.from, n.next, n.also, n.hints, n.by = nil, nil, nil, nil, ""
	}
}
