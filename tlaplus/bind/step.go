package bind

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"tracecheck/tlaplus/eval"
	"tracecheck/tlaplus/value"
	"tracecheck/trace"
)

// saying is what a line says of its step.
type saying struct {
	e      value.Value
	plan   *plan
	list   []eval.Said // what has to be TRUE
	around []eval.Said // list without the action
	before int         // how many of around are before the action
	gives  []eval.Said // of around: what gives variables their values
	claims []claim     // of lines in the trace format
}

// said is what the line says.
func (m *machine) said(e value.Value) (*saying, error) {
	s := &saying{}
	return s, m.say(s, e)
}

// say makes s what the line says. It reuses what s has.
func (m *machine) say(s *saying, e value.Value) error {
	p := m.p
	pl, args, err := m.plan(e)
	if err != nil {
		return err
	}
	*s = saying{e: e, plan: pl, around: s.around[:0], list: s.list[:0]}
	line := []value.Value{e}
	tell := func(c *clause) (said eval.Said, ok bool) {
		return eval.Said{Formula: c.f, Args: line}, c.f != nil && (c.guarded || told(e, c.paths))
	}
	for i := range p.before {
		if said, ok := tell(&p.before[i]); ok {
			s.around = append(s.around, said)
		}
	}
	given := len(s.around)
	for _, i := range p.first {
		if said, ok := tell(&p.observe[i]); ok {
			s.around = append(s.around, said)
		}
	}
	s.before = len(s.around)
	s.gives = s.around[given:s.before:s.before]
	for _, i := range p.rest {
		if said, ok := tell(&p.observe[i]); ok {
			s.around = append(s.around, said)
		}
	}
	var with []value.Value
	switch pl.takes {
	case theLine:
		with = line
	case theArgs:
		with = args.Elems
	}
	s.list = s.with(s.list, pl, with)
	return nil
}

// with adds to list what the line says, with the action of a plan.
func (s *saying) with(list []eval.Said, pl *plan, args []value.Value) []eval.Said {
	list = append(list, s.around[:s.before]...)
	for _, said := range pl.does {
		if args != nil {
			said.Args = args
		}
		list = append(list, said)
	}
	return append(list, s.around[s.before:]...)
}

// plan is what the line's event stands for, with the arguments that the line has.
func (m *machine) plan(e value.Value) (*plan, *value.Tuple, error) {
	p := m.p
	if p.event == nil || !p.event.guarded && !told(e, p.event.paths) {
		return p.any, nil, nil
	}
	v, err := p.run.Value(p.event.f, nil, e)
	if err != nil {
		return nil, nil, err
	}
	event, ok := v.(*value.Str)
	if !ok {
		return nil, nil, fmt.Errorf("the event is %s, which is no string", value.Show(v))
	}
	args, err := m.args(e, event.Text)
	if err != nil {
		return nil, nil, err
	}
	n := 0
	if args != nil {
		n = len(args.Elems)
	}
	pl := p.planOf(event.Text, n)
	if pl == nil {
		return nil, nil, fmt.Errorf("the event %q is no action of %s that takes %d arguments, and %s has none for it under actions: give it one, or leave such lines out with when",
			event.Text, p.spec.Root, n, m.b.file.name)
	}
	return pl, args, nil
}

// args are the arguments that the line has of its event's action; nil: none.
func (m *machine) args(e value.Value, event string) (*value.Tuple, error) {
	p := m.p
	var v value.Value
	if p.args != nil {
		if !p.args.guarded && !told(e, p.args.paths) {
			return nil, nil
		}
		var err error
		if v, err = p.run.Value(p.args.f, nil, e); err != nil {
			return nil, err
		}
	} else {
		for _, name := range []string{"args", "event_args"} {
			if v = reached(e, step{field: name}); v != nil {
				break
			}
		}
	}
	switch v := v.(type) {
	case *value.Tuple:
		return v, nil
	case *value.Fcn:
		var list []value.Value
		for _, name := range p.spec.Params(event) {
			arg := reached(v, step{field: name})
			if arg == nil {
				return nil, nil
			}
			list = append(list, arg)
		}
		return value.NewTuple(list...), nil
	}
	return nil, nil
}

// updated is the operator behind the preset lbinria: a variable with the updates that
// a line has for it.
func (p *program) updated() *eval.Native {
	return &eval.Native{Name: updatedName, Arity: 3, F3: func(_ *eval.Run, v, name, updates value.Value) value.Value {
		return p.apply(v, name.(*value.Str).Text, updates)
	}}
}

const updatedName = "Updated"

// objectOf is a value as an object of a report.
func objectOf(v value.Value) []byte {
	return append(gjson.AppendJSONString([]byte(`{"value":`), value.Show(v)), '}')
}

func placeOf(ev *trace.Event) place { return placeAt(ev.Pos, ev.Raw) }

func placeAt(pos trace.Pos, raw string) place {
	return place{strings.Clone(pos.File), pos.Line, strings.Clone(raw)}
}
