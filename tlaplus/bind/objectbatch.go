package bind

import (
	"container/heap"
	"errors"
	"fmt"
	"slices"

	"tracecheck/tlaplus/eval"
	"tracecheck/tlaplus/value"
	"tracecheck/trace"
)

// A batched step is the sum of several actions. The search goes through the states that
// these lead to, those near the end of the step first. What the objects say of a variable is
// the same on the way, where it does not differ before and after.

// batch is the search from one state.
type batch struct {
	m       *objectMachine
	s       *meaning
	list    []eval.Condition // of each step on the way
	parts   [][]part         // of each claim: what is its object's
	idle    bool             // the step changes no object
	ends    []ends
	gone    []part // is not there in some state on the way
	seen    map[uint64][]*batched
	queue   queue
	only    bool // the step can end in one state alone
	numbers int  // of states on the way
}

// batched is a state on the way.
type batched struct {
	*node
	took uint64   // the claims that actions on the way have met, then what of gone was not there, by their places
	up   *batched // nil: it is the state before the step
	rank
}

// way is the actions that lead to the state.
func (at *batched) way() (acts []string) {
	for ; at.up != nil; at = at.up {
		acts = append(acts, at.by)
	}
	slices.Reverse(acts)
	return acts
}

// errCut means that the bound on the states is reached.
var errCut = errors.New("the search for the actions of a batched step exceeds its budget: log more values, or raise --max-states")

// mostClaims is how many bits batched.took has.
const mostClaims = 64

// batched makes the frontier after a batched step.
func (m *objectMachine) batched(from []*node, s *meaning) ([]*node, error) {
	m.made = 0
	clear(m.index)
	m.frontier = nil
	cut := false
	for _, n := range from {
		b := &batch{m: m, s: s, seen: map[uint64][]*batched{}}
		err := b.search(n)
		if errors.Is(err, errCut) {
			cut = true
			break
		}
		if err != nil {
			return nil, err
		}
	}
	if cut {
		if len(m.frontier) == 0 {
			return nil, errCut
		}
		m.dropped = true
	}
	return from, nil
}

// search adds the states to the frontier in which the step can end.
func (b *batch) search(n *node) error {
	m := b.m
	if err := b.frozen(n); err != nil {
		return err
	}
	b.put(&batched{node: &node{state: n.state, down: n.down, broke: n.broke, trail: n.trail}})
	for len(b.queue) > 0 {
		at := heap.Pop(&b.queue).(*batched)
		if is, err := b.allowed(at); err != nil {
			return err
		} else if !is {
			continue
		}
		if done, err := b.arrive(n, at); done || err != nil {
			return err
		}
		var full error
		err := m.p.spec.Makes(m.p.run, at.state, b.list, "", nil, func(st *eval.State) bool {
			if m.made++; m.made > m.b.maxStates() || m.p.run.MostWork > 0 && m.p.run.Work > m.p.run.MostWork*9/10 {
				full = errCut
				return false
			}
			full = b.step(at, st)
			return full == nil
		})
		if err == nil {
			err = full
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// allowed reports whether a state on the way is as the bind file states that all are.
func (b *batch) allowed(at *batched) (bool, error) {
	for _, x := range b.m.p.throughout {
		v, err := b.m.p.run.Value(x, at.state, b.s.e)
		switch {
		case err != nil:
			return false, err
		case v == value.False:
			return false, nil
		case v != value.True:
			return false, fmt.Errorf("a formula of throughout is %s, which is neither TRUE nor FALSE", value.Show(v))
		}
	}
	return true, nil
}

// frozen has each step leave as it is what the objects say to be the same before and
// after.
func (b *batch) frozen(n *node) error {
	m := b.m
	goal, err := m.p.spec.Overlaid(m.p.run, n.state, b.s.assignments)
	if err != nil {
		return err
	}
	b.idle = true
	for i, v := range n.state.Vals {
		if goal != nil && !value.Identical(goal.Vals[i], v) {
			b.idle = false
		}
	}
	if goal != nil {
		if err := b.objects(n, goal); err != nil {
			return err
		}
	}
	for i, v := range n.state.Vals {
		switch {
		case goal == nil || !m.gives(i) || m.p.lines[i]:
		case value.Identical(goal.Vals[i], v):
			b.list = append(b.list, m.p.unchanged[i])
		case !m.p.whole[i]:
			b.ends = append(b.ends, ended(i, v, goal.Vals[i]))
			b.goes(i, v, goal.Vals[i])
		}
	}
	if len(b.s.claims)+len(b.gone) > mostClaims {
		return fmt.Errorf("the step has %d claims, and %d objects that are deleted and created: %d are the most", len(b.s.claims), len(b.gone), mostClaims)
	}
	b.list = append(b.list, m.p.spec.Nextly()...)
	b.only = goal != nil && m.b.opts.Without&eval.Nearest == 0
	for i := range n.state.Vals {
		b.only = b.only && (m.gives(i) || m.p.leaves(i))
	}
	return nil
}

// ends are the values of a variable before and after the step.
type ends struct {
	variable    int
	before, end value.Value
	gone, come  []value.Value // of a set
	at          []value.Value // of a function: the arguments with another value
}

// goes notes the arguments of a function that the lines delete and create: what is another
// object after the step has not been there on the way.
func (b *batch) goes(variable int, before, end value.Value) {
	dom, isFcn := domainOf(before)
	if !isFcn {
		return
	}
	for _, k := range dom.Each() {
		w := valueAt(end, k)
		if id, isText := k.(*value.Str); isText && w != nil && b.m.world.recreates(id.Text) && !value.Identical(w, value.Apply(before, k)) {
			b.gone = append(b.gone, part{variable, k})
		}
	}
}

// keeps reports whether a value on the way differs only where the ends do: at arguments
// of a function, and in elements of a set.
func (e *ends) keeps(v value.Value) bool {
	if set, ok := e.before.(*value.Set); ok {
		end, isSet := e.end.(*value.Set)
		on, also := v.(*value.Set)
		return isSet && also && !slices.ContainsFunc(set.Elems(), func(x value.Value) bool { return end.Index(x) >= 0 && on.Index(x) < 0 })
	}
	a, ok := domainOf(e.before)
	z, isFcn := domainOf(e.end)
	if !ok || !isFcn {
		return true
	}
	on, ok := domainOf(v)
	if !ok {
		return false
	}
	for _, k := range a.Each() {
		if z.Index(k) >= 0 && value.Identical(value.Apply(e.before, k), value.Apply(e.end, k)) &&
			(on.Index(k) < 0 || !value.Identical(value.Apply(v, k), value.Apply(e.before, k))) {
			return false
		}
	}
	return !slices.ContainsFunc(on.Elems(), func(k value.Value) bool { return a.Index(k) < 0 && z.Index(k) < 0 })
}

// domainOf is that of a function.
func domainOf(v value.Value) (*value.Set, bool) {
	switch v.(type) {
	case *value.Fcn, *value.Tuple, *value.Lambda:
		return value.Enumerate(value.Domain(v)), true
	}
	return nil, false
}

// step takes a step on the way.
func (b *batch) step(from *batched, st *eval.State) error {
	m := b.m
	for i := range b.ends {
		if e := &b.ends[i]; !e.keeps(st.Vals[e.variable]) {
			return nil
		}
	}
	to := &batched{node: &node{state: st, from: from.node, broke: from.broke, by: m.p.run.Taken(m.p.names)}, took: from.took, up: from}
	for i, c := range b.s.claims {
		if m.p.run.Takes(c.action) && (b.idle || slices.ContainsFunc(b.parts[i], func(p part) bool { return p.differs(from.state.Vals, st.Vals) })) {
			to.took |= 1 << i
		}
	}
	for i, g := range b.gone {
		if valueAt(st.Vals[g.variable], g.at) == nil {
			to.took |= 1 << (len(b.s.claims) + i)
		}
	}
	if len(m.p.spec.Properties) > 0 && to.broke == nil {
		to.hints = m.p.run.Hints()
		other := m.p.run
		m.p.run = other.Fork() // the step is being made
		err := m.checkStep(to.node, trace.Pos{}, "")
		m.p.run = other
		if err != nil {
			return err
		}
	}
	for i, v := range st.Vals {
		st.Vals[i] = m.p.shared(from.state.Vals[i], v)
	}
	to.from, to.hints = nil, nil
	b.put(to)
	return nil
}

// put adds a state to those to continue from, once.
func (b *batch) put(n *batched) {
	h := n.took
	for _, v := range n.state.Vals {
		h = h*31 + value.Hash(v)
	}
	for _, old := range b.seen[h] {
		if old.took == n.took && (old.broke == nil || n.broke != nil) && slices.EqualFunc(old.state.Vals, n.state.Vals, value.Identical) {
			return
		}
	}
	b.seen[h] = append(b.seen[h], n)
	n.rank = b.rank(n)
	heap.Push(&b.queue, n)
}

// arrive adds the state to the frontier where the step can end there. It is done where no
// other path leads to another state, or breaks less.
func (b *batch) arrive(source *node, at *batched) (done bool, err error) {
	m := b.m
	if n := len(b.s.claims) + len(b.gone); n > 0 && at.took != 1<<n-1 {
		return false, nil
	}
	is, err := m.holds(at.state, b.s)
	if err != nil || !is {
		return false, err
	}
	known := len(m.frontier)
	if err := m.add(&eval.State{Vals: slices.Clone(at.state.Vals)}, source); err != nil {
		return false, errCut
	}
	i := known
	if len(m.frontier) == known && at.broke == nil { // one path counts that breaks nothing
		i = slices.IndexFunc(m.frontier, func(n *node) bool {
			return n.broke != nil && slices.EqualFunc(n.state.Vals, at.state.Vals, value.Identical)
		})
	}
	if i >= 0 && i < len(m.frontier) {
		n := m.frontier[i]
		n.broke, n.by, n.acts = at.broke, at.by, at.way()
	}
	return b.only && at.broke == nil, nil
}

// checkBatched judges the states in which batched steps end, by the invariants.
func (m *objectMachine) checkBatched(pos trace.Pos, raw string) error {
	for _, n := range m.frontier {
		if err := m.checkState(n, pos, raw); err != nil {
			return err
		}
		if n.broke != nil && n.broke.at.line == 0 {
			n.broke.at = placeAt(pos, raw)
		}
	}
	return nil
}
