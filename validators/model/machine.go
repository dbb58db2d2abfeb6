package model

import (
	"tracecheck/trace"
	"tracecheck/validators"
)

// machine judges one stream.
type machine[S, P any] struct {
	binder[S]
	of      *Model[S, P]
	law     *law[S, P] // the profile's
	c       validators.Config
	batched bool

	*scratch[S, P]
	try    func(P) bool
	action *Action[S, P] // that try is about
	p      P             // the witness that try had last
	found  bool          // which is one

	known   bool                     // what Model.Enter has returned
	only    int                      // the part that all lines are of; several, or unset where there is no line
	before  int                      // how much of the plan is of other parts
	strict  bool                     // an action has to change what the claims are of
	refuses bool                     // the step has a line of op reject
	acts    bool                     // and one of another
	unknown bool                     // one names what the module does not have
	changed int                      // how many objects the step changes
	uses    *uses                    // of the state
	waits   []*validators.Obligation // of the stream
	run     Shown
}

// scratch is what the machines of one goroutine share, of the last step.
type scratch[S, P any] struct {
	uses   *uses
	plan   []*Action[S, P] // what explained it, in order
	moves  []move          // and what they made of statuses, where that is counted
	stated []stated[S, P]  // its claims
	from   []Statuses      // statuses of the objects that it changes, before it, by table
	to     []Statuses      // and after it; a table without a status has some, too
}

// move is a change of status.
type move struct {
	validators.Transition
	at int // how many actions of a walk were taken by then
}

// binder gathers what a step says.
type binder[S any] struct {
	s      *S
	attach bool
	line   int // that is read, an index into the step
	faults validators.Faults
	taken  bool // under --attach: the step shows an object for the first time, and is taken as it is
}

// few is how many events of a step are searched one by one.
const few = 8

// machine is validators.Spec's New.
func (m *Model[S, P]) machine(c validators.Config) (validators.Machine, error) {
	j := &machine[S, P]{
		of: m, law: m.under(c.Profile), c: c, batched: c.Steps == validators.Batched,
		waits: make([]*validators.Obligation, len(m.Stream)), scratch: validators.PartOf[scratch[S, P]](c.Workspace),
	}
	j.from = append(j.from[:0], make([]Statuses, len(m.Tables))...)
	j.to = append(j.to[:0], make([]Statuses, len(m.Tables))...)
	j.attach = c.Attach
	j.try = func(p P) bool {
		j.p = p // clauses get it by reference
		j.found = j.explains()
		return j.found
	}
	return j, j.begin()
}

// begin makes the state in which nothing has been shown.
func (j *machine[S, P]) begin() error {
	s, err := j.of.New(j.c)
	if err != nil {
		return err
	}
	j.s, j.uses = s, new(uses)
	for i, t := range j.of.Tables {
		t.begin(s, &j.c, j.uses, 1<<i)
		t.reset(s)
	}
	if j.attach && j.of.Attach != nil {
		j.of.Attach(s)
	}
	return nil
}

// Lost implements validators.Machine.
func (j *machine[S, P]) Lost() {
	was := j.s
	if err := j.begin(); err != nil {
		panic("model: the same constants were good before: " + err.Error())
	}
	if j.of.Lost != nil {
		j.of.Lost(was, j.s)
	}
	j.run = Shown{}
	clear(j.waits)
}

// Step implements validators.Machine.
func (j *machine[S, P]) Step(step *trace.Step) ([]validators.Finding, bool, error) {
	j.bind(step)
	if j.c.Cover != nil {
		j.coverClauses()
	}
	var found []validators.Finding
	if len(j.faults) > 0 {
		found = j.faults.Findings(step, j.of.Type.Name, j.changes)
	}
	if !j.taken {
		judged, err := j.judge(step)
		if err != nil {
			return nil, false, err
		}
		if len(judged) > 0 {
			found = append(found, judged...)
		}
		if len(j.plan) == 1 && len(j.of.Steps) > 0 {
			found = append(found, j.judgeSteps(step)...)
		}
	}
	if len(j.law.actions) > len(j.of.Next) {
		j.countAllowances()
	}
	j.commit()
	if broken := j.broken(step); len(broken) > 0 {
		found = addRules(found, broken)
	}
	open := false
	if j.refuses {
		found, open = j.judgeRefusals(step, found)
	}
	return found, !j.taken && !open, nil
}

// addRules adds findings of rules of which there is none yet.
func addRules(found, more []validators.Finding) []validators.Finding {
	for _, f := range more {
		if !validators.HasRule(found, f.Rule) {
			found = append(found, f)
		}
	}
	return found
}

// bind reads the step's lines.
func (j *machine[S, P]) bind(step *trace.Step) {
	j.clear()
	j.plan, j.moves = j.plan[:0], j.moves[:0]
	j.faults, j.taken = j.faults[:0], false
	j.stated, j.unknown, j.refuses, j.acts = j.stated[:0], false, false, false
	j.only = unset
	if j.uses.many = len(step.Events) > few; j.of.Begin != nil {
		j.of.Begin(j.s)
	}
	for i := 0; j.of.refers != 0 && len(step.Events) > 1 && i < len(step.Events); i++ {
		if ev := &step.Events[i]; ev.Op != trace.OpReject {
			if t := j.of.reads(ev.Kind); t != nil {
				t.imply(j.s, ev.ID)
			}
		}
	}
	for i := range step.Events {
		ev := &step.Events[i]
		t := j.of.reads(ev.Kind)
		if t == nil {
			continue
		}
		id, part := ev.ID, -1
		if ev.Op == trace.OpReject { // which records that nothing happened
			j.refuses = true
			j.readRefusal(ev, i)
		} else {
			j.acts = true
			id, part = t.bind(&j.binder, ev, i)
		}
		if j.only == unset {
			j.only = part
		} else if j.only != part {
			j.only = several
		}
		if ev.HasClaim() {
			j.claim(ev, t, id, part)
		}
	}
	if j.of.Bound != nil {
		j.of.Bound(j.s)
	}
	j.changed = 0
	for set := j.uses.step; set != 0; set = set.rest() {
		place := set.first()
		t := j.of.Tables[place]
		var n int
		n, j.from[place], j.to[place] = t.finish(j.s)
		j.changed += n
	}
	if j.attach && j.of.Enter != nil {
		j.taken = j.taken || j.restsOnUnseen()
	}
}

// clear forgets the last step, of whichever machine it was.
func (j *machine[S, P]) clear() {
	set := j.uses.step
	if last := j.scratch.uses; last != nil {
		set |= last.step
	}
	for ; set != 0; set = set.rest() {
		place := set.first()
		j.of.Tables[place].reset(j.s)
		j.from[place], j.to[place] = 0, 0
	}
	*j.uses = uses{batched: j.batched}
	j.scratch.uses = j.uses
}

// stutters is UNCHANGED vars.
func (j *machine[S, P]) stutters() bool { return j.changed == 0 }

// judge finds what explains the step, and whether it is what the step claims.
func (j *machine[S, P]) judge(step *trace.Step) ([]validators.Finding, error) {
	var found []validators.Finding
	if j.unknown {
		found = j.unknownNames()
	}
	if len(j.faults) > 0 && j.faults.Has(validators.OfTransition) {
		return found, nil // reported already
	}
	var judged []validators.Finding
	var err error
	switch {
	case j.of.Enter == nil:
		judged, err = j.judgePart(step)
	case j.only >= 0:
		j.known = j.of.Enter(j.s, j.only)
		judged, err = j.judgePart(step)
	default:
		judged, err = j.judgeParts(step)
	}
	if len(judged) > 0 {
		found = addRules(found, judged)
	}
	return found, err
}

// judgePart is judge of one part of the step.
func (j *machine[S, P]) judgePart(step *trace.Step) ([]validators.Finding, error) {
	j.before = len(j.plan)
	if j.stutters() {
		return j.judgeStill(), nil
	}
	// A claim in a batched step is of its line's object.
	j.strict = j.batched && len(j.stated) > 0
	if j.match() {
		return nil, nil
	}
	if found, is := j.matchUnclaimed(); is {
		return found, nil
	}
	if j.batched {
		return j.judgeBatched(step)
	}
	return []validators.Finding{j.unexplained(step)}, nil
}

// match finds the action that explains the step and is what all lines claim.
func (j *machine[S, P]) match() bool {
	if len(j.stated) > 0 && j.stated[0].action != nil { // no other one can be
		a := j.stated[0].action
		return j.isClaimed(a) && j.matches(a)
	}
	for _, a := range j.law.actions {
		if j.isClaimed(a) && j.matches(a) {
			return true
		}
	}
	return false
}

// may says that the action explains the step. The effect that ran last is then
// its own.
func (j *machine[S, P]) may(a *Action[S, P]) bool {
	if a.from != 0 && a.from&j.from[a.on] == 0 {
		return false
	}
	j.action, j.found = a, false
	a.Some(j.s, j.try)
	return j.found
}

// matches says that the action explains the step, and takes it if so.
func (j *machine[S, P]) matches(a *Action[S, P]) bool {
	if !j.may(a) {
		return false
	}
	if a.Before != nil {
		if before := a.Before(j.s, &j.p); before != nil {
			j.plan = append(j.plan, before)
		}
	}
	j.plan = append(j.plan, a)
	j.advance(a, -1)
	return true
}

// explains says that the guards hold and the effect is what the step shows.
func (j *machine[S, P]) explains() bool {
	if !j.action.enabled(j.s, &j.p) {
		return false
	}
	j.of.unwrite(j.s, j.uses)
	j.action.Effect(j.s, &j.p)
	return j.agrees() && (!j.strict || j.changesClaimed())
}

// agrees says that the effect that ran last leaves all as the step does.
func (j *machine[S, P]) agrees() bool {
	for set := j.uses.step; set != 0; set = set.rest() {
		t := j.of.Tables[set.first()]
		if !t.agrees(j.s, ^Columns(0)) {
			return false
		}
	}
	return true
}

// advance makes what the effect has written the state on the way.
func (j *machine[S, P]) advance(a *Action[S, P], at int) {
	var moved func(from, to string)
	if j.c.Cover != nil {
		by := a.Name
		if j.of.Actors != nil {
			by = a.Actor
		}
		moved = func(from, to string) {
			j.moves = append(j.moves, move{validators.Transition{By: by, From: from, To: to}, at})
		}
	}
	for set := j.uses.written; set != 0; set = set.rest() {
		t := j.of.Tables[set.first()]
		t.advance(j.s, at, moved)
	}
}

// commit makes the new state the state, and brings the ledger up to date.
func (j *machine[S, P]) commit() {
	if j.of.Settle != nil {
		j.of.Settle(j.s, j.taken)
	}
	for set := j.uses.step; set != 0; set = set.rest() {
		t := j.of.Tables[set.first()]
		t.commit(j.s)
	}
	j.release()
	if j.c.Ledger == nil {
		return
	}
	for set := j.uses.step & j.of.waits; set != 0; set = set.rest() {
		t := j.of.Tables[set.first()]
		t.follow(j.s, j.c.Ledger)
	}
	if len(j.of.Gates)+len(j.of.Stream) > 0 {
		j.followStream()
	}
}

// release drops what the step has left without a line or a reference.
func (j *machine[S, P]) release() {
	for set := j.uses.step & j.of.refers; set != 0; set = set.rest() {
		t := j.of.Tables[set.first()]
		t.release(j.s)
	}
}

// broken reports the first object of the step that breaks each rule in the
// state that the step has made.
func (j *machine[S, P]) broken(step *trace.Step) (found []validators.Finding) {
	for i := range j.of.ruled {
		if of := &j.of.ruled[i]; j.to[of.table]&of.status != 0 {
			found = of.rule.broken(j.s, step, found)
		}
	}
	return found
}

// countAllowances counts the actions that the text does not have.
func (j *machine[S, P]) countAllowances() {
	for _, a := range j.plan {
		if a.place == beyond {
			j.c.Uses.Add(a.Name, 1)
		}
	}
}

// Explanation implements validators.Machine.
func (j *machine[S, P]) Explanation() []string {
	names := make([]string, len(j.plan))
	for i, a := range j.plan {
		names[i] = a.Name
	}
	return names
}

// Count implements validators.Machine.
func (j *machine[S, P]) Count(counts []int) {
	for _, a := range j.plan {
		if a.place != beyond {
			counts[a.place]++
		}
	}
	if j.c.Cover == nil {
		return
	}
	for _, t := range j.moves {
		j.c.Cover.Moved(t.By, t.From, t.To)
	}
	for _, rule := range j.of.Rules {
		rule.cover(j.s, j.c.Cover)
	}
}

// coverClauses counts the clauses that decide on a step of one action.
func (j *machine[S, P]) coverClauses() {
	if j.taken || j.faults.Has(validators.OfTransition) {
		return
	}
	t := Try[S, P]{s: j.s}
	for range j.parts {
		if !j.batched || j.of.Relation().Match(&t) != nil {
			j.of.Relation().Cover(&t, j.c.Cover)
		}
	}
}

// Objects implements validators.Machine: each kind's, by id.
func (j *machine[S, P]) Objects(yield func(trace.Kind, string, []byte)) {
	for _, t := range j.of.Tables {
		t.objects(j.s, yield)
	}
}

// Live implements validators.Machine.
func (j *machine[S, P]) Live() (n int) {
	for _, t := range j.of.Tables {
		n += t.live(j.s)
	}
	return n
}

// InDesiredState implements validators.Machine: a model has no such predicate.
func (j *machine[S, P]) InDesiredState() bool { return true }
