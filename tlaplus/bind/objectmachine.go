package bind

import (
	"fmt"
	"maps"
	"slices"

	"tracecheck/tlaplus/eval"
	"tracecheck/tlaplus/value"
	"tracecheck/trace"
	"tracecheck/validators"
)

// objectMachine judges a stream of a log in the trace format. The variables are what
// the bind file computes from the objects. The module's next-state relation determines
// the others.
type objectMachine struct {
	*machine
	world       *world
	inSnapshots bool // in a run of snapshots
	last        place
	partial     place  // of the run: the first line without a field that it must have
	lacks       string // why; "": there is none
	fault       error  // of a run of snapshots, for the next step
}

// Lost implements validators.Machine.
func (m *objectMachine) Lost() {
	m.machine.Lost()
	m.world, m.inSnapshots, m.fault, m.lacks = nil, false, nil, ""
}

// ready gets a program for the world, which begins where there is none.
func (m *objectMachine) ready() (err error) {
	if err = m.machine.ready(); err != nil {
		return err
	}
	if m.world == nil {
		m.world, err = newWorld(m.p, m.b.file, m.b.shapes)
	}
	if err == nil {
		m.world.batched = m.c.Steps == validators.Batched
	}
	m.p.world = m.world // other streams have the program, too
	return err
}

// Snapshot implements validators.Machine.
func (m *objectMachine) Snapshot(ev *trace.Event) {
	if m.fault = m.ready(); m.fault != nil {
		return
	}
	if !m.inSnapshots {
		m.inSnapshots, m.lacks = true, ""
		m.world.begin()
	}
	m.last = placeOf(ev)
	if lacks := m.world.take(ev); m.lacks == "" {
		m.partial, m.lacks = m.last, lacks
	}
}

// SnapshotsEnd implements validators.Machine: the state is that of the objects. What
// cannot be evaluated is the next step's error.
func (m *objectMachine) SnapshotsEnd() (found []validators.Finding) {
	if !m.inSnapshots || m.fault != nil {
		return nil
	}
	m.inSnapshots = false
	if bad := guarded(func() { found, m.fault = m.shown() }); bad != nil {
		m.fault = bad
	}
	if m.lacks != "" {
		pos := trace.Pos{File: m.partial.file, Line: m.partial.line}
		found = append(found, validators.Finding{Kind: validators.OfType, Rule: requiredRule, Pos: pos, Text: m.b.file.name, Message: m.lacks})
	}
	return found
}

// requiredRule is the rule of a snapshot that lacks a field. A step that does is no step of
// the module.
const requiredRule = "required"

func (m *objectMachine) shown() ([]validators.Finding, error) {
	if !m.b.file.snapshots {
		return nil, fmt.Errorf("%s: the stream has snapshots: set init: snapshots to read the state from them", m.b.file.name)
	}
	if err := m.ready(); err != nil {
		return nil, err
	}
	if err := m.world.renew(); err != nil {
		return nil, err
	}
	if !m.begun {
		if err := m.start(); err != nil {
			return nil, err
		}
	}
	if err := m.overlay(true); err != nil {
		return nil, err
	}
	pos := trace.Pos{File: m.last.file, Line: m.last.line}
	return m.broken(pos), nil
}

// start makes the initial states, which are not judged yet.
func (m *objectMachine) start() error {
	if err := m.p.run.Assumptions(); err != nil {
		return err
	}
	return m.begin(m.world.line)
}

// overlay gives the variables of each state the values that the objects have for them;
// after snapshots, also those that are open.
func (m *objectMachine) overlay(open bool) error {
	s, err := m.meaning(m.world.line)
	if err != nil {
		return err
	}
	list := s.assignments
	if open {
		for _, v := range m.p.open {
			if !m.gives(v.place) {
				list = append(list, eval.Condition{Formula: v.clause.f, Args: []value.Value{m.world.line}})
			}
		}
	}
	from := m.frontier
	clear(m.index)
	m.frontier, m.made = nil, 0
	for _, n := range from {
		var full error
		err := m.p.spec.Overlays(m.p.run, n.state, list, func(st *eval.State) bool {
			if full = m.add(st, nil); full == nil && m.frontier[len(m.frontier)-1].state == st {
				last := m.frontier[len(m.frontier)-1]
				last.down, last.broke, last.trail = n.down, n.broke, n.trail.shown(st.Vals)
			}
			return full == nil
		})
		if err == nil {
			err = full
		}
		if err != nil {
			return err
		}
	}
	if err := m.keepMatching(s); err != nil {
		return err
	}
	if len(m.frontier) == 0 {
		return fmt.Errorf("what %s gives for the objects is not a state of %s", m.b.file.name, m.p.spec.Root)
	}
	return nil
}

// gives reports whether the current lines give the variable its value.
func (m *objectMachine) gives(variable int) bool {
	for _, i := range m.p.first {
		c := &m.p.observe[i]
		if c.name == m.p.spec.Variables[variable] && (c.guarded || hasAll(m.world.line, c.paths)) {
			return true
		}
	}
	return false
}

// keepMatching removes the states from the frontier that the lines contradict.
func (m *objectMachine) keepMatching(s *meaning) error {
	var kept []*node
	for _, n := range m.frontier {
		is, err := m.holds(n.state, s)
		if err != nil {
			return err
		}
		if is {
			kept = append(kept, n)
		}
	}
	m.frontier = kept
	return nil
}

// holds reports whether this state is as the lines state for the state after the step.
func (m *objectMachine) holds(st *eval.State, s *meaning) (is bool, err error) {
	list := append(slices.Clone(m.p.unchanged), s.around...)
	err = m.p.spec.Makes(m.p.run, st, list, "", nil, func(*eval.State) bool {
		is = true
		return false
	})
	return is, err
}

// broken judges the invariants in each state of the frontier, as it is: what all break,
// and what did not break before.
func (m *objectMachine) broken(pos trace.Pos) (found []validators.Finding) {
	all := ^uint64(0)
	was := ^uint64(0)
	for _, n := range m.frontier {
		was &= n.down
		n.down, n.from, n.broke = 0, nil, nil
		for i := range m.p.spec.Invariants {
			if ok, err := m.p.spec.Invariants[i].Holds(m.p.run, n.state, nil); err != nil {
				m.fault = err
				return nil
			} else if !ok {
				n.down |= 1 << i
			}
		}
		all &= n.down
	}
	for i := range m.p.spec.Invariants {
		p := &m.p.spec.Invariants[i]
		if all&^was&(1<<i) == 0 {
			continue
		}
		n := m.frontier[0]
		n.broke = &breach{kind: validators.OfInvariant, rule: p.Name, text: p.Place(), at: place{file: pos.File, line: pos.Line}}
		m.explainBreach(n, p, false)
		b := n.broke
		n.broke = nil
		found = append(found, validators.Finding{Kind: b.kind, Rule: b.rule, Pos: pos, Text: b.text, State: b.why.State, Nearest: b.why.Nearest, History: b.why.History,
			Message: fmt.Sprintf("the state breaks %s of %s%s", b.rule, m.p.spec.Root, b.why.Text)})
	}
	return found
}

// Objects implements validators.Machine.
func (m *objectMachine) Objects(yield func(trace.Kind, string, []byte)) {
	if m.world == nil {
		return
	}
	for i := range m.world.kinds {
		s := &m.world.kinds[i]
		for _, id := range slices.Sorted(maps.Keys(s.current)) {
			yield(s.kind, id, s.current[id].object())
		}
	}
}

// Live implements validators.Machine.
func (m *objectMachine) Live() (n int) {
	if m.world != nil {
		for i := range m.world.kinds {
			n += len(m.world.kinds[i].current)
		}
	}
	return n
}
