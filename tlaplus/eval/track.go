package eval

import (
	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// While a body is evaluated for an element of a set, what it reads is noted: where it
// comes from, and the steps from there to the part that is read. The elements are then
// found by what a step has changed, and not the other way round.

// source is what paths begin at: one of these.
type source struct {
	cur, next *variable   // of the state before the step, or after it
	nat       *Native     // that has another value now and then
	def       *definition // likewise, of a text beside the modules
	outer     int         // a name around the quantifier, from 1
}

// track is the steps to a part of a value.
type track struct {
	from  source
	steps []trackStep
}

// trackStep goes from a value to a part, or to what is known of it.
type trackStep struct {
	kind stepKind
	by   *index      // of a lookup
	key  value.Value // the argument, the possible element, or the key
}

type stepKind uint8

const (
	toValue    stepKind = iota // f[key]
	toDomain                   // DOMAIN f
	toMember                   // key \in S
	toElements                 // the elements of S that have the key
)

func (t track) to(kind stepKind, by *index, key value.Value) track {
	return track{t.from, append(t.steps[:len(t.steps):len(t.steps)], trackStep{kind, by, key})}
}

// tracker notes what is read.
type tracker struct {
	k    *keeper
	t    *kept
	f    *frame // of the quantifier
	cur  *State
	next *State
	of   *entry // whose body is evaluated
	lost bool   // it reads what cannot be noted
}

// variable is where the value of a variable in the current state comes from.
func (tr *tracker) variable(r *Run, v *variable) (from source, ok bool) {
	switch r.cur {
	case tr.cur:
		return source{cur: v}, true
	case tr.next:
		return source{next: v}, true
	}
	tr.lost = true
	return from, false
}

// outer is the place of a slot among the names around the quantifier; 0: it is none.
func (tr *tracker) outer(f *frame, slot int) int {
	for i, n := range tr.k.outer {
		if n.slot == slot && tr.f.hop(n.hops) == f {
			return i + 1
		}
	}
	return 0
}

// untracked runs do without noting what it reads.
func (r *Run) untracked(do func()) {
	was := r.track
	r.track = nil
	do()
	r.track = was
}

// trackedSlot is the value in a slot. It is noted where it is of a name around the
// quantifier.
func (r *Run) trackedSlot(f *frame, slot int) (v value.Value) {
	if n := r.track.outer(f, slot); n > 0 {
		r.track.t.note(r.track, track{from: r.track.t.sources[n-1]})
		r.untracked(func() { v = r.get(f.vals[slot]) })
		return v
	}
	return r.get(f.vals[slot])
}

// trace is the value of an expression, with where it comes from; ok is false where that
// is not known. What it reads on the way is not noted.
type trace func(r *Run, f *frame) (v value.Value, t track, ok bool)

// noting is a code that notes what its trace leads to, as a whole.
func noting(code code, trace trace) code {
	return func(r *Run, f *frame) value.Value {
		if r.track != nil {
			if v, t, ok := trace(r, f); ok {
				r.track.t.note(r.track, t)
				return v
			}
		}
		return code(r, f)
	}
}

// trackedMember is whether a value is an element of a set, where what is read of the set
// is noted: that.
func (r *Run) trackedMember(n *syntax.Op, set *expr, v value.Value, f *frame) (holds, ok bool) {
	if r.track == nil || set.trace == nil || n.Name.Name != `\in` && n.Name.Name != `\notin` {
		return false, false
	}
	in, t, ok := set.trace(r, f)
	if _, isSet := in.(*value.Set); !ok || !isSet {
		return false, false
	}
	r.track.t.note(r.track, t.to(toMember, nil, v))
	return value.Contains(in, v), true
}

// partOf makes an expression one of a part of another one, where that has a trace. The
// part is what to makes of the other one's value and a further one.
func partOf(x, of *expr, kind stepKind, arg code, at *place, to func(v, arg value.Value) value.Value) *expr {
	if of.trace == nil {
		return x
	}
	x.trace = func(r *Run, f *frame) (value.Value, track, bool) {
		v, t, ok := of.trace(r, f)
		if !ok {
			return nil, t, false
		}
		var a value.Value
		if arg != nil {
			a = arg(r, f)
		}
		r.at = at
		return to(v, a), t.to(kind, nil, a), true
	}
	x.code = noting(x.code, x.trace)
	return x
}

// traceVariable is that of a variable.
func traceVariable(v *variable, at *place) trace {
	return func(r *Run, f *frame) (value.Value, track, bool) {
		from, ok := r.track.variable(r, v)
		if !ok {
			return nil, track{}, false
		}
		return r.read(r.cur, v, "", at), track{from: from}, true
	}
}

// tracePrimed is that of a variable with a prime.
func tracePrimed(v *variable, at *place) trace {
	return func(r *Run, f *frame) (value.Value, track, bool) {
		if r.cur != r.track.cur || r.next != r.track.next {
			r.track.lost = true
			return nil, track{}, false
		}
		r.ahead++
		return r.read(r.next, v, "'", at), track{from: source{next: v}}, true
	}
}

// traceLocal is that of a parameter or bound name.
func traceLocal(h, slot int) trace {
	return func(r *Run, f *frame) (v value.Value, t track, ok bool) {
		f = f.hop(h)
		if n := r.track.outer(f, slot); n > 0 {
			r.untracked(func() { v = r.get(f.vals[slot]) })
			return v, track{from: r.track.t.sources[n-1]}, true
		}
		if th, lazy := f.vals[slot].(*thunk); lazy && th.x.trace != nil {
			return th.x.trace(r, th.f)
		}
		return nil, t, false
	}
}
