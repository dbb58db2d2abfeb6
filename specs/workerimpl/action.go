package workerimpl

import "tracecheck/validators"

// action is a disjunct of Next, or of WorkerSpec's, said once and forwards: guards,
// which are the conjuncts without primes, and an effect, which writes. What the
// effect does not write is UNCHANGED. From that follow which steps it explains, what
// comes near one (relation), what the actions on whole sets change of each worker
// (counts.go), what waits for what (waits.go), and the automata of batched steps
// (local.go).
type action struct {
	Name, Actor, Doc string

	Some      func(p *pair) bool // \E: takes the witnesses from what changed; false: the step is nothing like this action
	Unchanged frame              // the first conjunct
	Link      func(*node) bool   // of one on whole sets, what it asks of the worker; nil: nothing
	Guards    []clause           // each can be evaluated though an earlier one does not hold
	Effect    func(p *pair, u *local)
	Primed    []primed // what the effect does, in the module's words
	Whole     bool     // the effect is on every id: of the tasks and of the worker's containers
	Stutters  func(s *state) bool

	match validators.Action[pair]
}

type clause = validators.Clause[pair]

// primed is a conjunct with primes.
type primed struct {
	Text   string
	Of     variables
	Holds  func(p *pair) bool // nil: the step makes of the variables what the effect does
	Shows  func(p *pair) string
	Refute bool
}

// variables is a set of the module's.
type variables uint8

const (
	tasks variables = 1 << iota
	nodes
	containers
)

// frame is the conjunct that the variables stay as they are.
type frame struct {
	clause
	of variables
}

func unchanged(text string, of variables) frame {
	return frame{clause{Text: text, Holds: func(p *pair) bool { return p.same(of) }}, of}
}

// linked is the guard that the worker is so.
func linked(text string, is func(*node) bool) clause {
	return clause{
		Text: text, Holds: func(p *pair) bool { return is(p.node) },
		Shows: func(p *pair) string { return showNode(p.node) },
	}
}

// local is what a state says of one id as the worker sees it, and of the one node
// that is up or down: what effects write.
type local struct {
	has  bool // id \in IdSet(tasks)
	task taskValue
	cont containerState // noContainer: id \notin DOMAIN containers
	up   bool           // nodes[n]
}

// relation is the actions as they are matched, described and reported.
func relation(actions []*action) (r validators.Relation[pair]) {
	for _, a := range actions {
		a.derive()
		r = append(r, &a.match)
	}
	return r
}

// derive makes of the action the relation between two states.
func (a *action) derive() {
	a.match = validators.Action[pair]{Name: a.Name, Actor: a.Actor, Doc: a.Doc, Bind: a.Some}
	if a.Stutters != nil {
		a.match.Stutter = func(p *pair) bool { return a.Stutters(p.s) }
	}
	a.match.Clauses = append([]clause{a.Unchanged.clause}, a.Guards...)
	for _, c := range a.Primed {
		if c.Holds == nil {
			c.Holds = func(p *pair) bool { return a.makes(p, c.Of) }
		}
		a.match.Clauses = append(a.match.Clauses, clause{Text: c.Text, Effect: true, Holds: c.Holds, Shows: c.Shows, Refute: c.Refute})
	}
}

// links says that the worker is as an action on whole sets asks.
func (a *action) links(n *node) bool { return a.Link == nil || a.Link(n) }

// enabled says that the guards hold for the witnesses that the pair has.
func (a *action) enabled(p *pair) bool {
	for i := range a.Guards {
		if !a.Guards[i].Holds(p) {
			return false
		}
	}
	return true
}

// run is what the effect makes of the id, for the witnesses that the pair has.
func (a *action) run(p *pair, u local) *local {
	p.next = u
	a.Effect(p, &p.next)
	return &p.next
}

// makes says that the step makes of a variable what the effect does.
func (a *action) makes(p *pair, of variables) bool {
	u := &p.next
	switch {
	case of == nodes:
		u.up = p.n.up
		a.Effect(p, u)
		return len(p.nodes) == 1 && p.nodes[0].new == nodeValue{up: u.up}
	case a.Whole:
		return a.makesAll(p, of)
	case of == tasks:
		u.has, u.task = p.t.was, p.t.old
		a.Effect(p, u)
		return len(p.tasks) == 1 && p.t.is == u.has && (!u.has || p.t.new == u.task)
	}
	u.cont = badContainer
	if a.Effect(p, u); u.cont == badContainer || len(p.containers) == 0 {
		return len(p.containers) == 0 && (u.cont == badContainer || u.cont == p.unit.contOn(p.node))
	}
	c := &p.containers[0]
	return len(p.containers) == 1 && c.unit == p.unit && becomes(c, p.node, u.cont)
}

// makesAll is makes of an action on whole sets: what changes becomes what it
// should, and as many change as the counts of the worker say must.
func (a *action) makesAll(p *pair, of variables) bool {
	must := p.node.changed(a)
	if of == tasks {
		return len(p.tasks) == must.tasks && p.allTasks(func(c *taskChange) bool {
			return c.new == a.run(p, p.before(c.unit)).task
		})
	}
	if len(p.containers) != must.containers {
		return false
	}
	for i := range p.containers {
		c := &p.containers[i]
		if !c.was || !becomes(c, p.node, a.run(p, p.before(c.unit)).cont) {
			return false
		}
	}
	return true
}

// becomes says that the container ends up on the node in the state, or as none.
func becomes(c *containerChange, n *node, state containerState) bool {
	if state == noContainer {
		return !c.is
	}
	return c.is && c.new == containerValue{node: n, state: state}
}

// before is what the old state says of the unit.
func (p *pair) before(u *unit) local {
	return local{has: u.hasTask, task: u.task, cont: u.contOn(p.node)}
}
