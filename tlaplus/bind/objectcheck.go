package bind

import (
	"slices"
	"strings"

	"tracecheck/trace"
)

// object describes a line in the trace format. Its kind counts as its event.
func (c *Checker) object(ev *trace.Event) (string, error) {
	m := &objectMachine{machine: c.m, world: c.world}
	if ev.Kind == trace.KindMeta {
		meta, err := trace.ParseMeta(ev)
		if err != nil {
			return "", err
		}
		m.header, m.p, c.world = constantsOf(meta.Constants), nil, nil
		c.Other++
		return "the header", m.machine.ready()
	}
	if !slices.Contains(m.b.Spec.Kinds, ev.Kind) {
		c.Other++
		return "no event: objects does not have the kind " + ev.Kind.String(), nil
	}
	if m.header == "" {
		m.header = constantsOf(nil)
	}
	if err := m.ready(); err != nil {
		return "", err
	}
	c.world, m.p.run.Work = m.world, 0
	count := c.counted(ev.Kind.String(), ev)
	m.world.begin()
	wrong := m.world.take(ev)
	err := m.world.renew()
	if err == nil && m.p.spec != nil {
		_, err = m.meaning(m.world.line)
	}
	if err != nil {
		count.Fault = err.Error()
		return "", err
	}
	text := strings.TrimSpace(ev.Op.String() + " of " + ev.Kind.String() + " " + ev.ID)
	if wrong != "" {
		text += ", which no step is: " + wrong
	}
	return c.after(ev, text, m.world.line), nil
}
