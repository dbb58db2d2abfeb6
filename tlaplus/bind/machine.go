package bind

import (
	"fmt"
	"slices"
	"strings"

	"tracecheck/tlaplus/eval"
	"tracecheck/tlaplus/value"
	"tracecheck/trace"
	"tracecheck/validators"
)

// machine judges one stream.
type machine struct {
	b *Bind
	c validators.Config
	p *program // nil: the module has not been read for the stream yet

	header   string        // as JSON; "": not known yet
	begun    bool          // the frontier has been made
	initial  []value.Value // of an initial state
	frontier []*node
	lines    int              // that were steps
	wrote    [][]writing      // of each variable: the last lines that changed it, the oldest first
	file     string           // of the last of them
	actions  []string         // that explained the last step, in order
	index    map[uint64]*node // of the frontier that is made
	reserve  []reserve        // states that are still to be tried, the latest last
	kept     []place          // the lines since the first of reserve
	keptFrom int              // the number of the first of kept
	credit   int
	many     bool // silent steps have led to too many states, and are first taken where a line needs them
	dropped  bool // some states were not kept in reserve
	made     int  // states, for the current line
}

// node is a state in which the stream can be.
type node struct {
	state *eval.State
	from  *node    // while its line is judged
	next  *node    // with the same hash
	also  []*node  // from which it is made, too
	down  uint64   // the invariants that are FALSE, by their places
	broke *breach  // what the paths to it break; nil: nothing
	by    string   // the action that made it
	acts  []string // that made it, of a batched step
	hints eval.Hints
	trail *link // to it, where paths are kept; nil: not known yet
}

// breach is a rule that a path breaks.
type breach struct {
	kind validators.ViolationKind
	rule string
	text string // the rule's place
	at   place
	why  reason
}

// reason finds the clause of a rule that is FALSE.
type reason struct {
	Nearest []validators.Near
	State   []validators.Binding
	History []validators.Event
	Text    string
}

// place is where a line is.
type place struct {
	file string
	line int
	raw  string
}

// writing is a line that changed a variable.
type writing struct{ at place }

// mostWritings are kept of each variable.
const mostWritings = 3

func (b *Bind) machine(c validators.Config) (validators.Machine, error) {
	m := &machine{b: b, c: c, credit: b.credit(), index: map[uint64]*node{}}
	if b.file.objects != nil {
		m.header = constantsOf(c.Constants)
		return &objectMachine{machine: m}, nil
	}
	if c.Steps == validators.Batched {
		return nil, fmt.Errorf("%s: batched steps need a log in the trace format: in other logs, each line is one step", b.file.name)
	}
	return m, nil
}

// Lost implements validators.Machine: the next line is a first one.
func (m *machine) Lost() {
	m.begun, m.frontier, m.wrote, m.reserve, m.kept, m.dropped = false, nil, nil, nil, nil, false
	if m.b.file.headerLine {
		m.header, m.p = "", nil
	}
}

// Snapshot implements validators.Machine: a log of lines has none.
func (m *machine) Snapshot(*trace.Event) {}

// SnapshotsEnd implements validators.Machine.
func (m *machine) SnapshotsEnd() []validators.Finding { return nil }

// Step implements validators.Machine.
func (m *machine) Step(step *trace.Step) (found []validators.Finding, judged bool, err error) {
	m.actions = m.actions[:0]
	for i := range step.Events {
		ev := &step.Events[i]
		var one []validators.Finding
		var did bool
		var err error
		if bad := guarded(func() { one, did, err = m.line(ev) }); bad != nil {
			err = bad
		}
		if err != nil {
			return nil, false, &trace.Error{Pos: ev.Pos, Stream: strings.Clone(ev.Stream), Reason: err.Error()}
		}
		found, judged = append(found, one...), judged || did
	}
	return found, judged, nil
}

// guarded returns the evaluation error that ends do.
func guarded(do func()) (err error) {
	defer func() {
		if x := recover(); x != nil {
			bad, ok := x.(*value.Error)
			if !ok {
				panic(x)
			}
			err = bad
		}
	}()
	do()
	return nil
}

// line judges a line.
func (m *machine) line(ev *trace.Event) (found []validators.Finding, judged bool, err error) {
	if m.header == "" {
		if m.b.file.headerLine {
			m.header = strings.Clone(ev.Raw)
			return nil, false, m.ready()
		}
		m.header = m.b.header
	}
	if err := m.ready(); err != nil {
		return nil, false, err
	}
	if t := m.madeAhead(ev); t != nil {
		if t.to == nil {
			return nil, false, nil
		}
		found, err = m.take(t, ev)
		return found, true, err
	}
	e, bad := m.p.json.text(ev.Raw, m.b.shapes.field(lineName))
	if bad != "" {
		return nil, false, fmt.Errorf("the line is not a value: %s", bad)
	}
	if is, err := m.isEvent(e); err != nil || !is {
		return nil, false, err
	}
	if !m.begun {
		if err := m.begin(e); err != nil {
			return nil, false, err
		}
		found = m.verdict(ev)
		if m.b.file.initLine {
			return found, true, nil
		}
	}
	s := &m.p.now
	if err := m.interpret(s, e); err != nil {
		return nil, false, err
	}
	judged = m.restricts(s)
	more, err := m.step(ev, s)
	return append(found, more...), judged, err
}

// isEvent reports whether the line is an event.
func (m *machine) isEvent(e value.Value) (bool, error) {
	w := m.p.when
	if w == nil {
		return true, nil
	}
	if !w.guarded && !hasAll(e, w.paths) {
		return false, nil
	}
	v, err := m.p.run.Value(w.f, nil, e)
	if err != nil {
		return false, err
	}
	is, ok := v.(value.Bool)
	if !ok {
		return false, fmt.Errorf("when is %s, which is neither TRUE nor FALSE", value.Show(v))
	}
	return bool(is), nil
}

// begin makes the states in which the stream can begin.
func (m *machine) begin(e value.Value) error {
	clear(m.index)
	m.frontier, m.made = nil, 0
	list := m.p.init
	if m.b.file.initLine {
		list = nil
		for i := range m.p.observe {
			if c := &m.p.observe[i]; hasAll(e, c.paths) {
				list = append(list, eval.Condition{Formula: c.f, Args: []value.Value{e}})
			}
		}
		st, err := m.p.spec.Overlaid(m.p.run, m.p.spec.NewState(), list)
		if err != nil {
			return err
		}
		if st == nil {
			return fmt.Errorf("the first line's values are not a state of the module")
		}
		for i, v := range st.Vals {
			if v == nil {
				return fmt.Errorf("the first line has no value for the variable %s: with init: %s, observe must give each variable", m.p.spec.Variables[i], firstLine)
			}
		}
		m.add(st, nil)
	} else {
		var full error
		if err := m.p.spec.Makes(m.p.run, nil, list, "", nil, func(st *eval.State) bool {
			full = m.add(st, nil)
			return full == nil
		}); err != nil {
			return err
		}
		if full != nil {
			return full
		}
	}
	if len(m.frontier) == 0 {
		return fmt.Errorf("%s has no initial state", m.p.spec.Root)
	}
	m.begun = true
	m.wrote = make([][]writing, len(m.p.spec.Variables))
	m.initial = m.frontier[0].state.Vals
	m.p.initial = m.initial
	for _, n := range m.frontier {
		if err := m.check(n, trace.Pos{}, ""); err != nil {
			return err
		}
	}
	return nil
}

// errFull means that the bound on the states is reached.
func (m *machine) errFull() error {
	return fmt.Errorf("more than %d states are possible here: the log leaves too many of them possible; log more values, or raise --max-states", m.b.maxStates())
}

// add adds a state to the frontier, once. A path that breaks no rule wins.
func (m *machine) add(st *eval.State, from *node) error {
	if m.made++; m.made > m.b.maxStates() {
		return m.errFull()
	}
	n := &node{state: st, from: from}
	if from != nil {
		n.broke = from.broke
		for i, v := range st.Vals {
			st.Vals[i] = m.p.shared(from.state.Vals[i], v)
		}
	}
	h := uint64(unhashed)
	if len(m.index) > 0 {
		if alone := m.index[unhashed]; alone != nil {
			delete(m.index, unhashed)
			m.index[alone.hash()] = alone
		}
		h = n.hash()
	}
	for old := m.index[h]; old != nil; old = old.next {
		if slices.EqualFunc(old.state.Vals, st.Vals, value.Identical) {
			if from != nil && (old.broke != nil || len(m.p.spec.Properties) > 0) {
				old.also = append(old.also, from)
			}
			return nil
		}
	}
	m.index[h], n.next = n, m.index[h]
	m.frontier = append(m.frontier, n)
	return nil
}

// unhashed is in the index in place of the hash of the only node: mostly, no other comes.
const unhashed = 0

// hash is that of the state.
func (n *node) hash() (h uint64) {
	for _, v := range n.state.Vals {
		h = h*31 + value.Hash(v)
	}
	return h | 1
}

// shared is the value with what it has in common with the one before: what stays is
// known to, and takes no more room.
func (p *program) shared(was, is value.Value) value.Value {
	if value.Same(was, is) || p.spec.Identical(was, is) {
		return was
	}
	return is
}

// Explanation implements validators.Machine.
func (m *machine) Explanation() []string { return m.actions }

// explained notes the actions on the way to the state that is shown: the silent
// ones, and that of the line.
func (m *machine) explained() {
	m.actions = m.actions[:0]
	for n := m.first(); n != nil && n.by != ""; n = n.from {
		m.actions = append(m.actions, n.by)
	}
	slices.Reverse(m.actions)
}

// Count implements validators.Machine.
func (m *machine) Count(counts []int) {
	for _, action := range m.actions {
		if i, ok := m.p.names[action]; ok && i < len(counts) {
			counts[i]++
		}
	}
}

// Objects implements validators.Machine: the variables, as one of the paths has them.
func (m *machine) Objects(yield func(trace.Kind, string, []byte)) {
	if len(m.frontier) == 0 {
		return
	}
	for i, v := range m.first().state.Vals {
		var object []byte
		if guarded(func() { object = objectOf(v) }) == nil {
			yield(trace.KindVariable, m.p.spec.Variables[i], object)
		}
	}
}

// Possible implements validators.Variables.
func (m *machine) Possible() (n int) {
	for _, at := range m.frontier {
		if at.broke == nil {
			n++
		}
	}
	return n
}

// first is the state that is shown, of a path that breaks nothing as long as there is one.
func (m *machine) first() *node {
	return m.frontier[max(0, slices.IndexFunc(m.frontier, func(n *node) bool { return n.broke == nil }))]
}

// Writes implements validators.Variables.
func (m *machine) Writes(variable string) []validators.Event {
	var all []place
	for i, list := range m.wrote {
		if m.p.spec.Variables[i] == variable {
			for _, w := range list {
				all = append(all, w.at)
			}
		}
	}
	return eventsOf(all)
}

// Live implements validators.Machine: the variables.
func (m *machine) Live() int {
	if len(m.frontier) == 0 {
		return 0
	}
	return len(m.p.spec.Variables)
}

// InDesiredState implements validators.Machine.
func (m *machine) InDesiredState() bool { return true }
