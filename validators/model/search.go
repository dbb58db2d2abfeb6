package model

import (
	"hash/maphash"
	"math"
	"slices"
)

// searchAll tries all orders of the actions on what the step changes, depth
// first. An object that the step does not change may not change on the way. It
// is exponential in the number of objects that depend on each other: a model
// that has steps of many brings its own Search.
//
// Longer sequences are tried once there is no shorter one: actions that count, such as
// the tries of a job, lead from state to state without an end.
func (w *Walk[S, P]) searchAll() Outcome {
	for most := 2*w.j.changed + 2; ; most *= 2 {
		s := newSearch(w, w.choices, w.HasArrived, most)
		if outcome := s.from(); outcome != Unsolved || !s.cut {
			return outcome
		}
	}
}

// SearchAmong tries all orders of the choices, depth first, until arrived holds and the actions meet
// the claims. choices lists what can be tried in the state reached. An action that is not enabled is
// passed over.
func (w *Walk[S, P]) SearchAmong(choices func() []Choice[S, P], arrived func() bool) Outcome {
	return newSearch(w, choices, arrived, math.MaxInt).from()
}

type search[S, P any] struct {
	w       *Walk[S, P]
	choices func() []Choice[S, P]
	arrived func() bool
	seed    [2]maphash.Seed
	most    int               // actions in a sequence
	cut     bool              // there are longer ones
	visited map[[2]uint64]int // after how many actions, by two hashes of the state
}

func newSearch[S, P any](w *Walk[S, P], choices func() []Choice[S, P], arrived func() bool, most int) *search[S, P] {
	return &search[S, P]{
		w: w, choices: choices, arrived: arrived, most: most,
		seed: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}, visited: map[[2]uint64]int{},
	}
}

// Choice is an action with a witness.
type Choice[S, P any] struct {
	Action *Action[S, P]
	P      P
}

func (s *search[S, P]) from() Outcome {
	w := s.w
	if s.arrived() && w.ClaimsMet() {
		return Solved
	}
	here, key := w.Len(), s.key()
	if before, is := s.visited[key]; is && (before <= here || s.most == math.MaxInt) {
		return Unsolved
	}
	s.visited[key] = here
	list := s.choices()
	if here == s.most {
		s.cut = s.cut || len(list) > 0
		return Unsolved
	}
	for i := range list {
		if !w.Try() {
			return Exhausted
		}
		if !w.Take(list[i].Action, &list[i].P) {
			continue
		}
		if outcome := s.from(); outcome != Unsolved {
			return outcome
		}
		w.Back(here)
	}
	return Unsolved
}

// choices are the enabled actions that change nothing but what the step changes.
func (w *Walk[S, P]) choices() (list []Choice[S, P]) {
	w.j.of.successors(w.j.law.actions, w.S, func(a *Action[S, P], p *P) {
		if w.staysWithin() {
			list = append(list, Choice[S, P]{a, *p})
		}
	})
	return list
}

// key is the state on the way, with the claims that are met.
func (s *search[S, P]) key() (key [2]uint64) {
	for i := range key {
		var h maphash.Hash
		h.SetSeed(s.seed[i])
		for _, t := range s.w.j.of.Tables {
			t.hash(s.w.S, &h)
		}
		for k := range s.w.claims {
			if s.w.claims[k].met != 0 {
				h.WriteByte(1)
			} else {
				h.WriteByte(0)
			}
		}
		key[i] = h.Sum64()
	}
	return key
}

// HasArrived reports whether the actions taken lead to the state that the step shows.
func (w *Walk[S, P]) HasArrived() bool {
	w.j.of.unwrite(w.S, w.j.uses)
	return w.j.agrees()
}

// staysWithin says that the effect that ran last changes nothing but what the
// step changes.
func (w *Walk[S, P]) staysWithin() bool {
	return !slices.ContainsFunc(w.j.of.Tables, func(t Table[S]) bool { return !t.within(w.S) })
}

// Successors yields each enabled action with a witness among the objects that the step changes. The
// effect is written, but the action is not taken.
func (m *Model[S, P]) Successors(s *S, yield func(a *Action[S, P], p *P)) {
	m.successors(m.Next, s, yield)
}

func (m *Model[S, P]) successors(of []*Action[S, P], s *S, yield func(a *Action[S, P], p *P)) {
	for _, a := range of {
		a.Some(s, func(p P) bool {
			if a.enabled(s, &p) {
				m.run(a, s, &p)
				yield(a, &p)
			}
			return false
		})
	}
}

// within says that what the effect changes is of rows that the step changes, but
// for columns that it need not log.
func (k *Kind[S, R]) within(s *S) bool {
	t := k.Rows(s)
	for _, c := range t.written {
		if c.differs == 0 && (c.then.is != c.life.is || !k.sameNow(c)) || t.dynamic && !c.then.is && c.lasts() {
			return false
		}
	}
	return true
}

// sameNow says that the effect leaves the columns that a step logs.
func (k *Kind[S, R]) sameNow(c *Change[R]) bool {
	for i := range k.Columns {
		if col := &k.Columns[i]; !col.Inferred && !col.Same(&c.next, c.Now) {
			return false
		}
	}
	return true
}

func (k *Kind[S, R]) hash(s *S, h *maphash.Hash) {
	for _, c := range k.Rows(s).touched {
		maphash.WriteComparable(h, *c.Now)
		maphash.WriteComparable(h, c.life)
	}
}
