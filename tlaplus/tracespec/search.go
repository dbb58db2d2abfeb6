package tracespec

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"tracecheck/tlaplus/eval"
	"tracecheck/tlaplus/value"
)

// node is a state that a path leads to.
type node struct {
	state  *eval.State
	key    value.Value
	parent *node
	level  int
	lines  int     // of the log that the path consumed
	armed  []bool  // of each [](A => []B): A held on the way
	broken *breach // what the path breaks; nil: nothing
	before []*node // of each step that leads here, where these are kept
	moves  bool    // some step makes progress, also one that a constraint leaves out
}

// breach is an invariant or property that a path breaks.
type breach struct {
	kind   Kind
	rule   string
	line   int
	before *node
	text   string
	step   *eval.Predicate // of steps that does not hold; nil: state
	state  *eval.Predicate // of states
	after  *node
}

// search goes through the states, breadth first, as TLC does: the level of a state, and
// which of those that are alike counts, depend on it. Where the spec stops the search at
// the log's end and does not look at the queue, the latest is first.
type search struct {
	Options
	ctx    context.Context
	spec   *eval.Spec
	run    *eval.Run
	cursor *eval.Cursor

	queue     []*node
	head      int
	first     bool // breadth first
	index     map[uint64][]*node
	generated int
	initial   int   // states, generated
	at        *node // in which, or after which, is evaluated
	spent     int   // work when the last state was made
	distinct  int
	deepest   int
	furthest  int
	any       *breach // the first that some path has
	ends      []*node // of the furthest paths
	paths     []*node // the ends of those that count: of the furthest, or of done
	keep      bool    // each node's before
	nearest   *node   // of those the one in which an action comes nearest to the next line
	broken    *breach // what the paths break
	live      bool    // there are properties of what never ends
	found     []*node // all states, where live
	unmet     *breach // of a property of what never ends
	untested  bool    // no test and no cursor shows whether a path consumes the log
	stuck     bool    // a property over the queue does not hold
	once      int     // how many [](A => []B) there are
}

var (
	errStates      = errors.New("the bound on states is reached")
	errInterrupted = errors.New("the search is interrupted")
	errUntested    = errors.New("nothing shows whether the whole log is read: the cfg has no test of it, and no variable indexes the log, or has the rest of it; add a POSTCONDITION")
)

// progressEach is after how many states the progress is reported.
const progressEach = 1024

// report reports the progress. It fails where the search is to end.
func (s *search) report() error {
	if s.Progress != nil {
		p := Progress{Lines: s.furthest, Total: -1, Frontier: len(s.queue) - s.head, States: s.generated}
		if s.cursor.Known() {
			p.Total = len(s.cursor.Log)
		}
		s.Progress(p)
	}
	if s.ctx.Err() != nil {
		return errInterrupted
	}
	return nil
}

// answer is what TLCGet answers of the search.
func (s *search) answer() {
	size := func() value.Value { return value.Of(int64(len(s.queue) - s.head)) }
	number := func(n *int) func() value.Value { return func() value.Value { return value.Of(int64(*n)) } }
	generated := func() value.Value { return value.Of(int64(s.generated + s.run.Between)) }
	s.run.Answers["queue"] = size
	s.run.Answers["diameter"] = number(&s.deepest)
	s.run.Answers["generated"] = generated
	s.run.Answers["distinct"] = number(&s.distinct)
	s.run.Answers["duration"] = func() value.Value { return value.Of(1) }
	s.run.Answers["stats"] = func() value.Value {
		return s.run.Record(map[string]value.Value{
			"queue": size(), "diameter": value.Of(int64(s.deepest)), "generated": generated(),
			"distinct": value.Of(int64(s.distinct)), "duration": value.Of(1), "initial": value.Of(int64(s.initial)), "worker": value.Of(0),
		})
	}
	s.run.Path = func(to *eval.State) (states []*eval.State) {
		for n := s.at; n != nil; n = n.parent {
			if n != s.at || n.state != to {
				states = append(states, n.state)
			}
		}
		slices.Reverse(states)
		return append(states, to)
	}
	s.first = !s.spec.Stops()
	for _, p := range s.spec.Properties {
		s.once += len(p.Once)
		s.live = s.live || len(p.Live) > 0
		s.first = s.first || len(p.Once) > 0
	}
	s.keep = s.keep || s.live
}

// all searches until nothing is left, or the spec stops the search.
func (s *search) all() error {
	var failed error
	see := func(from *node) func(*eval.State) bool {
		return func(st *eval.State) bool {
			far := s.furthest
			s.spent = s.run.Work
			if s.generated++; s.generated > s.MaxStates {
				failed = errStates
			} else {
				failed = s.see(from, st)
			}
			if failed == nil && (s.furthest > far || s.generated%progressEach == 0) {
				failed = s.report()
			}
			return failed == nil && !s.run.Exit
		}
	}
	s.run.Level = 0
	if err := s.spec.Initial(s.run, see(nil)); err != nil || failed != nil {
		return errors.Join(err, failed)
	}
	for s.head < len(s.queue) && !s.run.Exit {
		n := s.take()
		s.stand(n)
		if err := s.spec.Successors(s.run, n.state, see(n)); err != nil || failed != nil {
			return errors.Join(err, failed)
		}
		if s.run.Exit {
			break
		}
		s.stand(n)
		if err := s.temporal(n); err != nil {
			return err
		}
		if s.stuck {
			break
		}
	}
	return nil
}

// stand makes a node the one in which, or after which, is evaluated.
func (s *search) stand(n *node) { s.at, s.run.Level = n, n.level }

func (s *search) take() *node {
	if s.first {
		n := s.queue[s.head]
		s.queue[s.head] = nil
		s.head++
		return n
	}
	n := s.queue[len(s.queue)-1]
	s.queue = s.queue[:len(s.queue)-1]
	return n
}

// see takes a state that a path leads to.
func (s *search) see(from *node, st *eval.State) error {
	n := &node{state: st, parent: from, level: 1}
	if from != nil {
		n.level, n.broken = from.level+1, from.broken
	} else {
		s.initial++
	}
	fork := s.run.Fork()
	if s.live && from != nil && !from.moves && !s.spec.MayStop() {
		var err error
		if from.moves, err = s.spec.Progresses(fork, from.state, st); err != nil {
			return err
		}
	}
	in, err := s.allowed(fork, from, n)
	if err != nil {
		return err
	}
	fork.Level = n.level
	if !in {
		if n.broken != nil {
			return nil
		}
		return s.breaks(fork, from, n, true) // TLC judges what a constraint leaves out, too
	}
	if n.key, err = s.spec.Key(fork, st); err != nil {
		return err
	}
	h := value.Hash(n.key)
	old := s.known(h, n.key)
	if old == nil { // TLC counts a state before it judges it
		s.distinct++
		s.deepest = max(s.deepest, n.level)
		if from == nil {
			s.queue = append(s.queue, n)
		}
	}
	if n.broken == nil {
		if err := s.breaks(fork, from, n, old == nil || old.broken != nil && !s.AnyPath); err != nil {
			return err
		}
	}
	if old != nil {
		if s.keep && from != nil {
			old.before = append(old.before, from)
		}
		if old.broken == nil || n.broken != nil {
			return nil
		}
		// A path that breaks nothing leads here, too: what follows is seen again.
		old.broken, old.parent = nil, from
		s.queue = append(s.queue, old)
		return nil
	}
	if s.keep && from != nil {
		n.before = []*node{from}
	}
	s.index[h] = append(s.index[h], n)
	if s.live {
		s.found = append(s.found, n)
	}
	if from != nil {
		s.queue = append(s.queue, n)
	}
	s.measure(fork, n)
	return nil
}

// known is the node with the key, nil where there is none.
func (s *search) known(h uint64, key value.Value) *node {
	for _, old := range s.index[h] {
		if value.Equal(old.key, key) {
			return old
		}
	}
	return nil
}

// allowed evaluates the constraints, as TLC does: of a step in the state before.
func (s *search) allowed(r *eval.Run, from, n *node) (bool, error) {
	r.Level = n.level
	for i := range s.spec.Constraints {
		if ok, err := s.spec.Constraints[i].Holds(r, n.state, nil); err != nil || !ok {
			return false, cmp.Or(err, never(&s.spec.Constraints[i]))
		}
	}
	if from == nil {
		return true, nil
	}
	r.Level = from.level
	for i := range s.spec.ActionConstraints {
		if ok, err := s.spec.ActionConstraints[i].Holds(r, from.state, n.state); err != nil || !ok {
			return false, cmp.Or(err, never(&s.spec.ActionConstraints[i]))
		}
	}
	return true, nil
}

// never is the error for what is FALSE of each state: TLC reports one then, and no violation.
func never(p *eval.Predicate) error {
	if !p.Constant() {
		return nil
	}
	return &eval.Error{Place: p.Place(), Msg: p.Name + " is a constant, and FALSE"}
}

// measure notes how far the path has come.
func (s *search) measure(r *eval.Run, n *node) {
	n.lines = n.level - 1
	if s.cursor != nil {
		n.lines = s.cursor.Read(r, n.state, n.level)
	}
	switch {
	case n.lines > s.furthest:
		s.furthest, s.ends = n.lines, nil
		fallthrough
	case n.lines == s.furthest:
		s.ends = append(s.ends, n)
	}
}

// breaks notes the first invariant or property of steps that the step breaks. Of a state
// that is known, invariants are not judged again.
func (s *search) breaks(r *eval.Run, from, n *node, invariants bool) error {
	note := func(kind Kind, rule string, p *eval.Predicate) {
		line := 0
		if from != nil {
			line = from.lines + 1
		}
		n.broken = &breach{kind: kind, rule: rule, line: max(line, 1), before: from, text: p.Place(), after: n, state: p}
		if s.any == nil || n.broken.line < s.any.line {
			s.any = n.broken
		}
	}
	judged := s.spec.Invariants
	if !invariants {
		judged = nil
	}
	for i := range judged {
		p := &judged[i]
		ok, err := true, error(nil)
		switch {
		case s.Plain:
			ok, err = p.Holds(r, n.state, nil)
		case from == nil || p.Depends(r, from.state, n.state):
			ok, err = p.HoldsAgain(r, n.state)
		}
		if err != nil {
			return err
		}
		if !ok {
			if err := never(p); err != nil {
				return err
			}
			note(Invariant, p.Name, p)
			return nil
		}
	}
	for _, p := range s.spec.Properties {
		for i := range p.States { // all of them before the steps, as in TLC
			if !invariants {
				break
			}
			ok, err := p.States[i].HoldsAgain(r, n.state)
			if err != nil {
				return err
			}
			if !ok {
				note(Property, p.Name, &p.States[i])
				return nil
			}
		}
	}
	for _, p := range s.spec.Properties {
		list := p.Initial
		var hints eval.Hints
		if from != nil && len(p.Steps) > 0 {
			hints = s.run.Hints()
		}
		if from != nil {
			list, r.Level = p.Steps, from.level
		}
		for i := range list {
			var ok bool
			var err error
			if from != nil {
				ok, err = list[i].Explains(r, from.state, n.state, hints)
			} else {
				ok, err = list[i].Holds(r, n.state, nil)
			}
			if err != nil {
				return err
			}
			if !ok {
				note(Property, p.Name, &list[i])
				if from != nil {
					n.broken.step = &list[i]
				}
				return nil
			}
		}
	}
	return nil
}

// temporal judges the forms of properties that look at each state once what
// follows it has been made.
func (s *search) temporal(n *node) error {
	if n.parent != nil {
		n.armed = n.parent.armed
	}
	k := 0
	for _, p := range s.spec.Properties {
		for i := range p.Once {
			armed := n.armed != nil && n.armed[k]
			for side := range p.Once[i] {
				if side == 1 && !armed {
					break
				}
				ok, err := p.Once[i][side].Holds(s.run, n.state, nil)
				if err != nil {
					return err
				}
				if side == 0 && ok && !armed {
					n.armed = append(append([]bool(nil), n.armed...), make([]bool, s.once-len(n.armed))...)
					n.armed[k], armed = true, true
				}
				if side == 1 && !ok {
					s.stuck = true
				}
			}
			k++
		}
	}
	return nil
}

// breach is what all of the paths break that lead to the nodes: that of the first;
// nil where some path breaks nothing. With AnyPath it is what any path breaks.
func (s *search) breach(ends []*node) *breach {
	if s.AnyPath {
		return s.any
	}
	for _, n := range ends {
		if n.broken == nil {
			return nil
		}
	}
	if len(ends) == 0 {
		return nil
	}
	return ends[0].broken
}
