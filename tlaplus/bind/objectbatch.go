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
	goals   []eval.Goal // of each variable: to keep what the step does not change; nil: there are none
	gone    []absent    // in some state on the way
	seen    map[uint64][]*batched
	queue   queue
	differs value.Differences
	only    bool            // the step can end in one state alone
	numbers int             // of states on the way
	useful  map[uint64]bool // changes of single objects that have led nearer to the end
}

// batched is a state on the way.
type batched struct {
	*node
	took uint64   // the claims that actions on the way have met, then what of gone was not there, by their places
	up   *batched // nil: it is the state before the step
	rank
	tried    int  // how many states it led to when it was gone on from; 0: it was not yet
	foci     int  // on how many elements the search has focused from it
	focused  bool // on all that it is to
	unjudged bool // by the properties
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
		b := &batch{m: m, s: s, seen: map[uint64][]*batched{}, useful: map[uint64]bool{}}
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
	if err := b.frozen(n); err != nil || b.hopeless() {
		return err
	}
	if _, err := b.put(&batched{node: &node{state: n.state, down: n.down, broke: n.broke, trail: n.trail}}); err != nil {
		return err
	}
	for len(b.queue) > 0 {
		at := heap.Pop(&b.queue).(*batched)
		if at.tried == 0 && !at.focused && at.foci == 0 {
			if is, err := b.allowed(at); err != nil {
				return err
			} else if !is {
				continue
			}
			if err := b.judge(at); err != nil {
				return err
			}
			if done, err := b.arrive(n, at); done || err != nil {
				return err
			}
		}
		var full error
		nearer, all, tried := false, at.tried > 0 || !b.only, 0
		goals, only := b.goals, (*focus)(nil)
		if !all && !at.focused {
			if only = b.focus(at); only != nil {
				goals = only.goals
			}
		}
		err := m.p.spec.MakesToward(m.p.run, at.state, goals, b.list, func(st *eval.State) bool {
			if only != nil && only.leavesOut(b, at, st) {
				return true
			}
			tried++
			if m.made > m.b.maxStates() || m.p.run.MostWork > 0 && m.p.run.Work > m.p.run.MostWork*9/10 {
				full = errCut
				return false
			}
			nearer, full = b.step(at, st)
			return full == nil && (!nearer || all)
		})
		if err == nil {
			err = full
		}
		if err != nil {
			return err
		}
		switch { // the others later, if at all
		case only != nil && only.more && !nearer:
			at.foci++
			heap.Push(&b.queue, at)
		case only != nil:
			at.focused = true
			at.cost += costOthers
			heap.Push(&b.queue, at)
		case nearer && !all:
			at.tried = tried
			at.cost += costBetween
			heap.Push(&b.queue, at)
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
		if err := b.elements(n, goal); err != nil {
			return err
		}
	}
	for i, v := range n.state.Vals {
		switch {
		case goal == nil || !m.gives(i) || m.p.lines[i]:
		case value.Identical(goal.Vals[i], v):
			b.list = append(b.list, m.p.unchanged[i])
		case !m.p.whole[i]:
			e := b.ended(i, v, goal.Vals[i])
			b.ends = append(b.ends, e)
			b.stay(&e)
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
	if b.only && len(b.ends) == 1 && b.goals != nil { // no other variable changes
		b.goals[b.ends[0].variable].Changes = true
	}
	return nil
}

// step takes a step on the way. The state may be nearer to the end.
func (b *batch) step(from *batched, st *eval.State) (nearer bool, err error) {
	m := b.m
	for i := range b.ends {
		if e := &b.ends[i]; !b.keeps(e, from.state.Vals[e.variable], st.Vals[e.variable]) {
			return false, nil
		}
	}
	to := &batched{node: &node{state: st, from: from.node, broke: from.broke, by: m.p.run.Taken(m.p.names)}, took: from.took, up: from}
	for i, c := range b.s.claims {
		if m.p.run.Takes(c.action) && (b.idle || slices.ContainsFunc(b.parts[i], func(p part) bool { return p.differs(from.state.Vals, st.Vals) })) {
			to.took |= 1 << i
		}
	}
	for i := range b.gone {
		if b.leaves(&b.gone[i], from.state.Vals, st.Vals) {
			to.took |= 1 << (len(b.s.claims) + i)
		}
	}
	if to.unjudged = len(m.p.spec.Properties) > 0 && to.broke == nil; to.unjudged {
		to.hints = m.p.run.Hints()
	} else {
		to.from = nil
	}
	for i, v := range st.Vals {
		st.Vals[i] = m.p.shared(from.state.Vals[i], v)
	}
	if is, err := b.put(to); err != nil || !is || to.missing >= from.missing {
		return false, err
	}
	b.learn(to)
	return true, nil
}

// judge judges the step that leads to the state by the properties. That is done once it
// matters: most states are not gone on from.
func (b *batch) judge(n *batched) error {
	if !n.unjudged {
		return nil
	}
	m, other := b.m, b.m.p.run
	m.p.run = other.Fork() // another step may be being made
	err := m.checkStep(n.node, trace.Pos{}, "")
	m.p.run = other
	n.unjudged, n.from, n.hints = false, nil, nil
	return err
}

// put adds a state to those to continue from, once.
func (b *batch) put(n *batched) (is bool, err error) {
	h := n.took
	for _, v := range n.state.Vals {
		h = h*31 + value.Hash(v)
	}
	for _, old := range b.seen[h] {
		if old.took != n.took || !slices.EqualFunc(old.state.Vals, n.state.Vals, value.Identical) {
			continue
		}
		if err := b.judge(old); err != nil || old.broke == nil || n.broke != nil {
			return false, err
		}
	}
	b.m.made++
	b.seen[h] = append(b.seen[h], n)
	n.rank = b.rank(n)
	heap.Push(&b.queue, n)
	return true, nil
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
