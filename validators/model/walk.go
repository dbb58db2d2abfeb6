package model

import (
	"fmt"
	"slices"
	"strings"

	"tracecheck/trace"
	"tracecheck/validators"
)

// Outcome is the result of a search.
type Outcome uint8

// Solved: the actions taken explain the step. Unsolved: no sequence explains it. Exhausted: the
// search ran out of budget.
const (
	Solved Outcome = iota
	Unsolved
	Exhausted
)

// Walk is a sequence of actions that may explain a batched step. Guards and effects read the state
// after the actions taken so far: Change.Now.
type Walk[S, P any] struct {
	S    *S
	Left int // how many actions a search may still try

	// Of a search that fails, for the report.
	line int
	what string
	why  string
	near []validators.Near
	kept bool

	j      *machine[S, P]
	taken  []*Action[S, P]
	moves  int // how many of the machine's are of other parts
	claims []claim[S, P]
	of     map[object][]int // claims
	unmet  int
	free   bool     // claims need not be met: they are noted for the report
	names  []string // of the actions taken, where they are noted, with what they change
}

// claim is what an event says: some action of that name changes its object.
type claim[S, P any] struct {
	says *stated[S, P]
	id   string // of its object
	met  int    // the action that does so, from 1; 0: none does yet
	by   string // of a walk that need not meet it: what else changes the object, and where that is several
	more bool
}

type object struct {
	kind trace.Kind
	id   string
}

// Take appends the action to the sequence if its guards hold, and reports whether they do.
func (w *Walk[S, P]) Take(a *Action[S, P], p *P) bool {
	if !a.enabled(w.S, p) {
		w.refuse(a, p)
		return false
	}
	w.j.of.run(a, w.S, p)
	w.meet(a)
	if w.free {
		w.names = append(w.names, w.name(a))
	}
	w.taken = append(w.taken, a)
	w.j.advance(a, len(w.taken))
	return true
}

// objectsPerTry is how many changed objects make a try count for one more in the budget: a
// search looks at each state on the way as a whole.
const objectsPerTry = 8

// Try counts the try of an action against the budget. It returns false if none is left.
func (w *Walk[S, P]) Try() bool {
	if w.Left <= 0 {
		return false
	}
	w.Left -= 1 + w.j.changed/objectsPerTry
	return true
}

// Assume lets f write values that are unknown before the step. Back and Restart undo them.
func (w *Walk[S, P]) Assume(f func()) {
	w.j.of.unwrite(w.S, w.j.uses)
	f()
	for set := w.j.uses.written; set != 0; set = set.rest() {
		t := w.j.of.Tables[set.first()]
		t.advance(w.S, len(w.taken), nil)
	}
}

// Len returns the number of actions taken.
func (w *Walk[S, P]) Len() int { return len(w.taken) }

// Restart undoes all actions and assumptions.
func (w *Walk[S, P]) Restart() {
	w.Back(0)
	for _, t := range w.j.of.Tables {
		t.back(w.S, -1)
	}
}

// Back undoes the actions after the first n, and later assumptions.
func (w *Walk[S, P]) Back(n int) {
	for _, t := range w.j.of.Tables {
		t.back(w.S, n)
	}
	for i := range w.claims {
		if c := &w.claims[i]; c.met > n {
			c.met = 0
			w.unmet++
		}
	}
	for k := len(w.j.moves); k > w.moves && w.j.moves[k-1].at > n; k-- {
		w.j.moves = w.j.moves[:k-1]
	}
	w.taken = w.taken[:n]
	if w.free {
		w.names = w.names[:n]
	}
}

// name is the action whose effect ran last, with the objects that it changes.
func (w *Walk[S, P]) name(a *Action[S, P]) string {
	var ids []string
	for _, t := range w.j.of.Tables {
		if !t.single() {
			t.wrote(w.S, func(id string) { ids = append(ids, id) })
		}
	}
	return fmt.Sprintf("%s(%s)", a.Name, strings.Join(ids, ", "))
}

// meet notes the claims that the action meets, whose effect ran last.
func (w *Walk[S, P]) meet(a *Action[S, P]) {
	if w.unmet == 0 {
		return
	}
	for _, t := range w.j.of.Tables {
		t.wrote(w.S, func(id string) {
			for _, i := range w.of[object{t.kind(), id}] {
				switch c := &w.claims[i]; {
				case !w.j.isOf(c.says, a):
					c.more = c.more || c.by != "" && c.by != a.Name
					c.by = a.Name
				case c.met == 0:
					c.met = len(w.taken) + 1
					w.unmet--
				}
			}
		})
	}
}

// Took reports whether the action was taken.
func (w *Walk[S, P]) Took(a *Action[S, P]) bool { return slices.Contains(w.taken, a) }

// ClaimsMet reports whether the actions taken meet all claims of the step's lines.
func (w *Walk[S, P]) ClaimsMet() bool { return w.free || w.unmet == 0 }

// Claim is a line's claim that an action changes an object.
type Claim[S, P any] struct {
	Action *Action[S, P] // nil: any action
	Actor  string        // of it; "": any
	Kind   trace.Kind
	ID     string
	IsMet  bool
}

// ClaimStatus says whether a claim can still be met.
type ClaimStatus uint8

// ClaimOpen: an action may meet it. ClaimMet: the step meets it without an action.
// ClaimImpossible: no action can meet it.
const (
	ClaimOpen ClaimStatus = iota
	ClaimMet
	ClaimImpossible
)

// Claims calls look for each claim. It returns false if one is ClaimImpossible.
func (w *Walk[S, P]) Claims(look func(Claim[S, P]) ClaimStatus) bool {
	for i := range w.claims {
		c := &w.claims[i]
		switch look(Claim[S, P]{c.says.action, c.says.actor, c.says.event.Kind, c.id, c.met != 0}) {
		case ClaimMet:
			if c.met == 0 {
				c.met = -1
				w.unmet--
			}
		case ClaimImpossible:
			if !w.free {
				return false
			}
		}
	}
	return true
}

// Stuck sets what the report says could not be explained. line is an index into the step.
func (w *Walk[S, P]) Stuck(line int, what string) {
	if !w.kept {
		w.line, w.what = line, what
	}
}

// StuckAt is as Stuck, for what is not about one object. The report then has no nearest action.
func (w *Walk[S, P]) StuckAt(line int, what string) {
	if !w.kept {
		w.line, w.what, w.near = line, what, []validators.Near{}
	}
}

// Keep keeps the report of the attempts so far. Later attempts do not change it.
func (w *Walk[S, P]) Keep() { w.kept = true }

// StuckOn sets the change as what the report says could not be explained. The report lists the nearest
// actions on this object alone, in the state reached.
func StuckOn[S, P any, R comparable](w *Walk[S, P], k *Kind[S, R], c *Change[R]) {
	k.narrowed(w.S, slices.Index(k.Rows(w.S).touched, c), func(*Change[R]) {
		w.line, w.what = c.Line, k.what(w.S, c)
		w.near = w.j.law.relation.Nearest(&Try[S, P]{s: w.S}, nearestShown)
	})
}

// Because adds a sentence to the message of the report.
func (w *Walk[S, P]) Because(why string) {
	if !w.kept {
		w.why = why
	}
}

// refuse notes the first action that could not be taken.
func (w *Walk[S, P]) refuse(a *Action[S, P], p *P) {
	if w.near != nil || w.kept {
		return
	}
	near := validators.Near{Action: a.Name, Actor: a.Actor}
	for i := range a.Guards {
		g := &a.Guards[i]
		if g.Holds(w.S, p) {
			near.Held = append(near.Held, g.Text)
			continue
		}
		near.Failed = append(near.Failed, g.Text)
		shown := ""
		if g.Shows != nil {
			shown = g.Shows(w.S, p)
		}
		near.Values = append(near.Values, shown)
	}
	for i := range a.Primed {
		near.Held = append(near.Held, a.Primed[i].Text)
	}
	w.near = []validators.Near{near}
}

// newWalk begins a walk that meets the claims of the step's lines, if it has to.
func (j *machine[S, P]) newWalk(left int, free bool) *Walk[S, P] {
	w := &Walk[S, P]{S: j.s, j: j, Left: left, line: -1, free: free, moves: len(j.moves)}
	for i := range j.stated {
		c := &j.stated[i]
		if w.of == nil {
			w.of = map[object][]int{}
		}
		key := object{c.event.Kind, c.id}
		w.of[key] = append(w.of[key], len(w.claims))
		w.claims = append(w.claims, claim[S, P]{says: c, id: c.id})
	}
	w.unmet = len(w.claims)
	return w
}

// judgeBatched explains the step by a sequence of actions, or finds that none
// does.
func (j *machine[S, P]) judgeBatched(step *trace.Step) ([]validators.Finding, error) {
	w := j.newWalk(j.c.Budget, false)
	outcome := j.search(w)
	var found []validators.Finding
	if outcome == Unsolved && len(w.claims) > 0 { // is it the claims?
		w.Restart()
		w = j.newWalk(w.Left, true)
		if outcome = j.search(w); outcome == Solved {
			found = append(found, j.unmetInBatch(w))
		}
	}
	switch outcome {
	case Solved:
		j.plan = append(j.plan, w.taken...)
		for _, t := range j.of.Tables {
			t.arrive(j.s)
		}
		return found, nil
	case Unsolved:
		w.Restart()
		return append(found, j.unexplainedBatch(step, w)), nil
	}
	w.Restart()
	n, of := j.mainly()
	return nil, validators.OutOfBudget(step, n, of, j.c.Budget)
}

func (j *machine[S, P]) search(w *Walk[S, P]) Outcome {
	if j.of.Search != nil {
		return j.of.Search(w)
	}
	return w.searchAll()
}

// unexplainedBatch is the finding of a step that no sequence explains.
func (j *machine[S, P]) unexplainedBatch(step *trace.Step, w *Walk[S, P]) validators.Finding {
	line, what := j.subject()
	if w.line >= 0 {
		line, what = w.line, w.what
	}
	text := fmt.Sprintf("no sequence of %s's %s explains this step: %s", j.of.Module, j.of.several(), what)
	if n, of := j.mainly(); w.near == nil || len(w.near) > 0 {
		text += validators.Among(n, of, false)
	}
	near := w.near
	if near == nil {
		near = j.nearest()
	}
	return validators.Unexplained(step, line, text+w.why, near, j.changes())
}

// unmetInBatch is the finding of a step that is explained, but by no sequence
// that meets the claims. It reports the first that the walk does not meet.
func (j *machine[S, P]) unmetInBatch(w *Walk[S, P]) validators.Finding {
	c := &w.claims[max(0, slices.IndexFunc(w.claims, func(c claim[S, P]) bool { return c.met == 0 }))]
	ev, why := c.says.event, ""
	switch {
	case c.more:
	case c.by != "":
		why = "only " + c.by + " changes it: "
	default:
		why = "nothing of it changes: "
	}
	rule, value := actionRule, ev.Action
	if value == "" {
		rule, value = actorRule, ev.Actor
	}
	f := ClaimFinding(ev, rule, fmt.Sprintf("%s claims the %s %s, but %sno sequence of actions that explains the step has one that changes it so",
		j.of.reads(ev.Kind).named(ev), rule, value, why), j.changes)
	f.Sequence = validators.Sequence(len(w.names), func(i int) string { return w.names[i] })
	return f
}
