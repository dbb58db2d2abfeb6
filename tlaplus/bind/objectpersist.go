package bind

import (
	"maps"
	"slices"

	"tracecheck/trace"
	"tracecheck/trace/codec"
	"tracecheck/validators"
)

// Persist implements validators.Machine.
func (m *objectMachine) Persist(c *codec.Codec) {
	there := m.world != nil
	if there {
		if err := m.world.renew(); err != nil {
			c.Fail("%s", err)
			return
		}
	}
	if codec.Bool(c, &there); there {
		if c.Reading() {
			if err := m.ready(); err != nil {
				c.Fail("%s", err)
				return
			}
		}
		m.world.code(c)
		if err := m.world.renew(); err != nil {
			c.Fail("%s", err)
			return
		}
	}
	codec.Bool(c, &m.inSnapshots)
	codePlace(c, &m.last)
	codePlace(c, &m.partial)
	codec.String(c, &m.lacks)
	m.machine.Persist(c)
}

// objectText is an object in a checkpoint.
type objectText struct {
	id    string
	there bool     // it is, and has been shown
	texts []string // of each field; "": no line has given it
	given bool     // the current lines are about it
	gives []bool   // of each field: they give it
}

func (w *world) code(c *codec.Codec) {
	codec.Bool(c, &w.hasSnapshots)
	loose := slices.Sorted(maps.Keys(w.unreferenced))
	codec.Slice(c, &loose, func(t *string) { codec.String(c, t) })
	if c.Reading() {
		for _, text := range loose {
			w.unreferenced[text] = true
		}
	}
	for i := range w.kinds {
		s := &w.kinds[i]
		var list []objectText
		ids := maps.Clone(s.dangling)
		for id := range s.current {
			ids[id] = true
		}
		for id := range s.logged {
			ids[id] = true
		}
		for _, id := range slices.Sorted(maps.Keys(ids)) {
			o := objectText{id: id, texts: make([]string, len(s.fields))}
			var of fieldsOf
			if of, o.there = s.current[id]; o.there {
				for j, f := range s.fields {
					o.texts[j] = of[f.name]
				}
			}
			if of, o.given = s.logged[id]; o.given {
				for _, f := range s.fields {
					_, gives := of[f.name]
					o.gives = append(o.gives, gives)
				}
			}
			list = append(list, o)
		}
		codec.Slice(c, &list, func(o *objectText) {
			codec.String(c, &o.id)
			codec.Bool(c, &o.there)
			codec.Slice(c, &o.texts, func(t *string) { codec.String(c, t) })
			codec.Bool(c, &o.given)
			codec.Slice(c, &o.gives, func(g *bool) { codec.Bool(c, g) })
		})
		if !c.Reading() {
			continue
		}
		for _, o := range list {
			s.changedIDs[o.id] = true
			if o.given {
				s.logged[o.id], s.loggedChanged = fieldsOf{}, true
				for j, f := range s.fields {
					if j < len(o.gives) && j < len(o.texts) && o.gives[j] {
						s.logged[o.id][f.name] = o.texts[j]
					}
				}
			}
			if !o.there {
				continue
			}
			of := fieldsOf{}
			for j, f := range s.fields {
				if j < len(o.texts) && o.texts[j] != "" {
					of[f.name] = o.texts[j]
					w.countReferences(o.texts[j], +1)
				}
			}
			s.current[o.id], s.stale[o.id] = of, true
		}
	}
}

// copied is a world to try a step in.
func (w *world) copied() *world {
	other := *w
	other.kinds, other.references, other.unreferenced = slices.Clone(w.kinds), maps.Clone(w.references), maps.Clone(w.unreferenced)
	for i := range other.kinds {
		s := &other.kinds[i]
		for _, ids := range []*map[string]bool{&s.dangling, &s.changedIDs, &s.external, &s.deleted, &s.stale} {
			*ids = maps.Clone(*ids)
		}
		s.logged, s.previous = maps.Clone(s.logged), maps.Clone(s.previous)
		all := make(map[string]fieldsOf, len(s.current))
		for id, of := range s.current {
			all[id] = maps.Clone(of)
		}
		s.current = all
	}
	return &other
}

// Probe implements validators.Prober.
func (m *objectMachine) Probe(step *trace.Step) (parts []validators.Part) {
	if m.p == nil || !m.begun {
		return nil
	}
	before := m.world
	if m.ready() != nil {
		return nil
	}
	m.world = before.copied()
	m.p.world = m.world
	defer func() { m.world, m.p.world = before, before }()
	_ = guarded(func() { parts = m.probe(step) }) // what cannot be evaluated has no parts
	return parts
}

func (m *objectMachine) probe(step *trace.Step) []validators.Part {
	m.world.begin()
	for i := range step.Events {
		m.world.take(&step.Events[i])
	}
	if m.world.renew() != nil {
		return nil
	}
	s, err := m.meaning(m.world.line)
	if err != nil {
		return nil
	}
	list, _, _ := m.attempts(m.frontier, s, true)
	return []validators.Part{partOf(s, len(step.Events)-1, list)}
}
