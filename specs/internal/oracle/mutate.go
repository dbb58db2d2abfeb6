package oracle

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// Mutators damage a trace in one place. The result may still conform: the
// oracle judges it again. Each returns nil where the trace gives it no place.

// Mutators are mutators by name.
type Mutators map[string]func(*rand.Rand, []Event) []Event

// Plain are the mutators that know nothing of the lines' objects, and those of a spec.
func Plain(own Mutators) Mutators {
	all := Mutators{"drop": Drop, "double": Double, "swap": Swap, "join": Join, "split": Split}
	maps.Copy(all, own)
	return all
}

// Apply has the named mutator, if there is one, damage the trace, and returns its lines;
// nil where it finds no place, or leaves no step.
func (m Mutators) Apply(name string, rng *rand.Rand, events []Event) []string {
	if mutate := m[name]; mutate != nil {
		events = mutate(rng, events)
	}
	if !HasStep(events) {
		return nil
	}
	return Lines(events)
}

// Case is the function Case; where draw makes no trace, another of the mutators is named.
func (m Mutators) Case(rng *rand.Rand, name *string, draw func() []string, judge func([]string) Verdict) ([]string, Verdict) {
	return Case(func() []string {
		lines := draw()
		if lines == nil {
			*name = m.Pick(rng)
		}
		return lines
	}, judge)
}

// Pick is the name of one of them.
func (m Mutators) Pick(rng *rand.Rand) string { return Pick(rng, slices.Sorted(maps.Keys(m))) }

// Values are values of fields, by kind and field.
type Values map[string]map[string][]any

// At picks an event that passes the test, -1 for none. Meta lines are none.
func At(rng *rand.Rand, events []Event, ok func(i int, e Event) bool) int {
	var places []int
	for i, e := range events {
		if e.Kind != "meta" && ok(i, e) {
			places = append(places, i)
		}
	}
	if len(places) == 0 {
		return -1
	}
	return Pick(rng, places)
}

// IsStep says whether the line is of a step.
func IsStep(_ int, e Event) bool { return e.Kind != "meta" && e.Op != "snapshot" && !e.Pinned }

// Own makes the line's object its own, and returns it.
func (e *Event) Own() map[string]any {
	if e.Object = maps.Clone(e.Object); e.Object == nil {
		e.Object = map[string]any{}
	}
	return e.Object
}

// Unset takes a field out of a line.
func Unset(rng *rand.Rand, events []Event) []Event {
	i := At(rng, events, func(_ int, e Event) bool { return len(e.Object) > 0 })
	if i < 0 {
		return nil
	}
	object := events[i].Own()
	delete(object, Pick(rng, slices.Sorted(maps.Keys(object))))
	return events
}

// HasStep says whether a line is of a step.
func HasStep(events []Event) bool {
	return slices.ContainsFunc(events, func(e Event) bool { return IsStep(0, e) })
}

// IsFree says whether a mutator may drop or move the line.
func IsFree(_ int, e Event) bool { return !e.Pinned }

// SetField changes one field, or gives an update one more.
func SetField(values Values) func(*rand.Rand, []Event) []Event {
	return func(rng *rand.Rand, events []Event) []Event {
		i := At(rng, events, func(_ int, e Event) bool { return e.Object != nil })
		if i < 0 {
			return nil
		}
		e := &events[i]
		e.Own()
		names := slices.Sorted(maps.Keys(values[e.Kind]))
		name := Pick(rng, names)
		if _, has := e.Object[name]; !has && Chance(rng, 0.5) {
			names = slices.DeleteFunc(names, func(n string) bool { _, has := e.Object[n]; return !has })
			if len(names) > 0 {
				name = Pick(rng, names)
			}
		}
		e.Object[name] = Pick(rng, values[e.Kind][name])
		return events
	}
}

// Drop takes out a line.
func Drop(rng *rand.Rand, events []Event) []Event {
	if i := At(rng, events, IsFree); i >= 0 {
		return slices.Delete(events, i, i+1)
	}
	return nil
}

// Double repeats a line.
func Double(rng *rand.Rand, events []Event) []Event {
	if i := At(rng, events, IsFree); i >= 0 {
		return slices.Insert(events, i, events[i])
	}
	return nil
}

// Swap exchanges two neighbouring lines.
func Swap(rng *rand.Rand, events []Event) []Event {
	i := At(rng, events, func(i int, e Event) bool {
		return !e.Pinned && i+1 < len(events) && !events[i+1].Pinned
	})
	if i < 0 {
		return nil
	}
	events[i], events[i+1] = events[i+1], events[i]
	return events
}

// Join makes one step of two neighbouring ones.
func Join(rng *rand.Rand, events []Event) []Event {
	i := At(rng, events, func(i int, e Event) bool {
		return IsStep(i, e) && i+1 < len(events) && IsStep(i+1, events[i+1]) && (e.Tx == nil || e.Tx != events[i+1].Tx)
	})
	if i < 0 {
		return nil
	}
	first, second := events[i].Tx, events[i+1].Tx
	for k := range events {
		if k == i || k == i+1 || first != nil && events[k].Tx == first || second != nil && events[k].Tx == second {
			events[k].Tx = "joined"
		}
	}
	return events
}

// Split takes one line out of its step.
func Split(rng *rand.Rand, events []Event) []Event {
	i := At(rng, events, func(i int, e Event) bool { return e.Tx != nil && i+1 < len(events) && events[i+1].Tx == e.Tx })
	if i < 0 {
		return nil
	}
	events[i].Tx = nil
	return events
}

// Op gives a line another operation.
func Op(rng *rand.Rand, events []Event) []Event {
	i := At(rng, events, IsStep)
	if i < 0 {
		return nil
	}
	events[i].Op = Pick(rng, []string{"create", "delete", "update"})
	return events
}

// AsUpdate writes an object that a step deletes and creates as an update.
func AsUpdate(rng *rand.Rand, events []Event) []Event {
	i := At(rng, events, func(i int, e Event) bool {
		return e.Op == "delete" && i+1 < len(events) && events[i+1].Op == "create" &&
			events[i+1].Kind == e.Kind && events[i+1].ID == e.ID && e.Tx != nil && events[i+1].Tx == e.Tx
	})
	if i < 0 {
		return nil
	}
	events[i+1].Op = "update"
	return slices.Delete(events, i, i+1)
}
