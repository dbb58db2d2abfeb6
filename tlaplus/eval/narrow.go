package eval

import (
	"slices"

	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// \E t \in S : … /\ v' = (v \ {t}) \union …: if the next state is given, t is the element that
// v has lost. Such equations determine names of the quantifier, or show that no value of
// them makes the step.

// narrowing has the equations that determine a quantifier's names.
type narrowing struct {
	facts []fact
	apart *pointwise // nil: nothing
	alone bool       // an equation gives a name a value: no set of sets is gone through
	turns int        // of the facts, those with which narrowed may test the first name
}

// fact is an equation v' = (v \ gone) \union come that holds in each step of the body.
type fact struct {
	v          int
	gone, come *want
	turn       *turn // nil: nothing is known
}

// want is the condition on the names for an element to be in a set.
type want struct {
	none   bool // the set has no element
	single bool // it has only one
	solves []solution
	fixed  []fixedPart
	oneOf  [][][]fixedPart // of each of these, the parts of one alternative
}

// solution is a name that equals a part of the element; or, if set is true, a name whose
// value is a set with the element.
type solution struct {
	name   int // among all names of the quantifier
	path   []partStep
	set    bool
	unless value.Value // the part is that: nothing is known; nil: it is known always
}

// partStep goes to what an index has as the element's key, or to a field.
type partStep struct {
	by    *index
	field value.Value
}

// narrowing returns the plan for \E with this body, or nil.
func (p *Program) narrowing(in *scope, n *syntax.Quant, list []binding) *narrowing {
	if p.without&Narrows != 0 {
		return nil
	}
	names := map[string]*meaning{}
	at := 0
	for i := range list {
		if list[i].tuple {
			return nil
		}
		for _, name := range list[i].names {
			at++
			names[name] = &meaning{name: at}
		}
	}
	w := narrower{p: p}
	w.walk(&meant{in, n.Body, names})
	apart := p.pointwise(in, n, list)
	turns := 0
	for i := range w.facts {
		if w.facts[i].turn.first() {
			turns++
		}
	}
	useful := slices.ContainsFunc(w.facts, func(f fact) bool { return f.gone.useful() || f.come.useful() || f.turn != nil })
	if !useful && (apart == nil || !apart.only) {
		return nil
	}
	alone := slices.ContainsFunc(w.facts, func(f fact) bool { return f.gone.single })
	return &narrowing{facts: w.facts, apart: apart, alone: alone, turns: turns}
}

func (w *want) useful() bool {
	return w.none || w.single || len(w.solves) > 0 || len(w.fixed) > 0 || len(w.oneOf) > 0
}

// choices is what is left to be tried of a quantifier's names.
type choices struct {
	sets   []value.Value
	slots  []int
	solved map[int]bool // the slots of names that have their value
	none   bool         // no values make the step
	tests  []*turn      // of which the names' values are to pass each
	whole  bool         // these are all tests that there may be
	stays  []staying    // the same for what the next state is to keep
}

// tested is do for the values that pass the tests.
func (c *choices) tested(r *Run, f *frame, do func() bool) func() bool {
	if len(c.tests)+len(c.stays) == 0 {
		return do
	}
	return func() bool {
		if slices.ContainsFunc(c.stays, func(k staying) bool { return k.leaves(r, f, c.slots) }) {
			return true
		}
		return slices.ContainsFunc(c.tests, func(t *turn) bool { return t.changes(r, f, c.slots) }) || do()
	}
}

// narrowed is the sets of the names, without elements with which the body makes no such
// step: what is solved has its value in its slot.
func (nw *narrowing) narrowed(r *Run, f *frame, list []binding, sets []value.Value) (left choices) {
	left.sets = sets
	if nw == nil || r.next == nil || r.cur == nil || r.initial || r.why != nil {
		return left
	}
	slots, of := flat(list)
	for i := range nw.facts {
		ft := &nw.facts[i]
		was, ok := r.cur.Vals[ft.v].(*value.Set)
		is, also := r.next.Vals[ft.v].(*value.Set)
		if !ok || !also || was.Len() < leastNarrowed {
			continue
		}
		gone, come, ok := r.differences.Of(was, is)
		if !ok {
			continue
		}
		if ft.gone.impossible(r, gone) || ft.come.impossible(r, come) || ft.turn.misses(r, gone, is) {
			return choices{none: true}
		}
		if ft.turn.first() && len(gone) == 0 && value.Same(sets[0], was) {
			if len(come) > 0 {
				return choices{none: true}
			}
			left.tests = append(left.tests, ft.turn)
		}
		if pw := nw.apart; pw != nil && pw.only && pw.v.n == ft.v {
			if some, ok := pw.functions(r, f, left.sets[0], is); ok {
				left.sets = []value.Value{some}
			}
		}
		for _, w := range [...]struct {
			*want
			elems []value.Value
		}{{ft.gone, gone}, {ft.come, come}} {
			for _, s := range w.solves {
				switch {
				case len(w.elems) == 0 && (!s.set || nw.apart == nil):
				case s.set:
					if with, ok := nw.supersets(r, f, left.sets[of[s.name]], w.elems, is); ok {
						left.sets = slices.Clone(left.sets)
						left.sets[of[s.name]] = with
					}
				case left.solved[slots[s.name]]:
				default:
					v, is, known := s.value(r, w.elems[0], left.sets[of[s.name]])
					if !known {
						continue
					}
					if !left.give(f, slots[s.name], v, is) {
						return choices{none: true}
					}
				}
			}
		}
	}
	left.slots, left.whole = slots, len(left.tests) == nw.turns
	return left
}

func (w *want) impossible(r *Run, elems []value.Value) bool {
	return w.none && len(elems) > 0 || w.single && len(elems) > 1 || w.excluded(r, elems)
}

// flat is the slot of each name, and the place of its set.
func flat(list []binding) (slots, of []int) {
	for i := range list {
		for _, slot := range list[i].slots {
			slots, of = append(slots, slot), append(of, i)
		}
	}
	return slots, of
}

// value is that of the name, and whether it is an element of its set; known is false where
// it cannot be said.
func (s *solution) value(r *Run, e, set value.Value) (v value.Value, is, known bool) {
	known = r.attempt(func() {
		v = partAt(r, e, s.path)
		is = value.Contains(set, v)
	})
	return v, is, known && (s.unless == nil || apart(v, s.unless))
}

// leastNarrowed is how many elements a variable has at least. Of fewer, each is tried: so is
// each error met.
const leastNarrowed = 8

// mostOptional bounds the elements of which a superset may have each or not.
const mostOptional = 12

// supersets is those of the sets that have the elements.
func (nw *narrowing) supersets(r *Run, f *frame, of value.Value, elems []value.Value, is *value.Set) (sets value.Value, ok bool) {
	all, isSubset := of.(*value.Subset)
	if !isSubset {
		return nil, false
	}
	base, isSet := all.Of.(*value.Set)
	if !isSet || !value.InOrder(base) {
		return nil, false
	}
	must := value.NewSet(slices.Clone(elems))
	optional := base
	for _, e := range elems {
		if optional.Index(e) < 0 {
			return value.NoElements, true
		}
		optional = optional.Without(e)
	}
	if nw.apart != nil && !nw.apart.only && r.next.Vals[nw.apart.v.n] == value.Value(is) {
		if some, ok := nw.apart.possible(r, f, optional, is); ok {
			optional = some
		}
	}
	if optional.Len() > mostOptional {
		return nil, false
	}
	var list []value.Value
	value.Each(&value.Subset{Of: optional}, func(e value.Value) bool {
		list = append(list, value.Combine(value.Union, must, e))
		return true
	})
	return value.NewSet(list), true
}
