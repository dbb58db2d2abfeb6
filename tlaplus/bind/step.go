package bind

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"tracecheck/tlaplus/eval"
	"tracecheck/tlaplus/value"
	"tracecheck/trace"
)

// meaning is what a line states about its step.
type meaning struct {
	e           value.Value
	plan        *plan
	list        []eval.Condition // what must be TRUE
	around      []eval.Condition // list without the action
	before      int              // how many of around are before the action
	assignments []eval.Condition // of around: those that give variables their values
	claims      []claim          // of lines in the trace format
}

// meaning returns what the line states.
func (m *machine) meaning(e value.Value) (*meaning, error) {
	s := &meaning{}
	return s, m.interpret(s, e)
}

// interpret sets s to what the line states. It reuses the memory of s.
func (m *machine) interpret(s *meaning, e value.Value) error {
	p := m.p
	pl, args, err := m.plan(e)
	if err != nil {
		return err
	}
	*s = meaning{e: e, plan: pl, around: s.around[:0], list: s.list[:0]}
	line := []value.Value{e}
	condition := func(c *clause) (eval.Condition, bool) {
		return eval.Condition{Formula: c.f, Args: line}, c.f != nil && (c.guarded || hasAll(e, c.paths))
	}
	for i := range p.before {
		if c, ok := condition(&p.before[i]); ok {
			s.around = append(s.around, c)
		}
	}
	given := len(s.around)
	for _, i := range p.first {
		if c, ok := condition(&p.observe[i]); ok {
			s.around = append(s.around, c)
		}
	}
	s.before = len(s.around)
	s.assignments = s.around[given:s.before:s.before]
	for _, i := range p.rest {
		if c, ok := condition(&p.observe[i]); ok {
			s.around = append(s.around, c)
		}
	}
	var with []value.Value
	switch pl.argument {
	case theLine:
		with = line
	case theArgs:
		with = args.Elems
	}
	s.list = s.with(s.list, pl, with)
	return nil
}

// restricts reports whether the line states anything about its step. Otherwise, it may be any step, and is not
// judged.
func (m *machine) restricts(s *meaning) bool { return s.plan != m.p.any || len(s.around) > 0 }

// with adds to list what the line states, with the action of a plan.
func (s *meaning) with(list []eval.Condition, pl *plan, args []value.Value) []eval.Condition {
	list = append(list, s.around[:s.before]...)
	for _, c := range pl.conditions {
		if args != nil {
			c.Args = args
		}
		list = append(list, c)
	}
	return append(list, s.around[s.before:]...)
}

// plan returns what the line's event means, with the arguments of the line.
func (m *machine) plan(e value.Value) (*plan, *value.Tuple, error) {
	p := m.p
	if p.event == nil || !p.event.guarded && !hasAll(e, p.event.paths) {
		return p.any, nil, nil
	}
	note(&m.b.named)
	v, err := p.run.Value(p.event.f, nil, e)
	if err != nil {
		return nil, nil, err
	}
	event, ok := v.(*value.Str)
	if !ok {
		return nil, nil, fmt.Errorf("the event is %s, which is not a string", value.Show(v))
	}
	pl := p.planOf(event.Text, 0)
	if pl != nil && pl.args == nil {
		return pl, nil, nil // an entry of actions reads the line itself
	}
	args, err := m.args(e, event.Text)
	if err != nil {
		return nil, nil, err
	}
	n := 0
	if args != nil {
		n = len(args.Elems)
		note(&m.b.argued)
	} else if pl != nil && pl.through != "" {
		note(&m.b.unargued)
	}
	if pl = p.planOf(event.Text, n); pl == nil {
		such := ""
		if takes, _ := p.spec.Defines(event.Text); p.spec.IsAction(event.Text) {
			such = fmt.Sprintf(" (arguments of the line: %d, of the action: %d)", n, takes)
		}
		return nil, nil, fmt.Errorf("the event %q has no entry under actions in %s, and %s has no action of that name%s: add an entry, or skip such lines with when",
			event.Text, m.b.file.name, p.spec.Root, such)
	}
	return pl, args, nil
}

// argsFields are the fields that have the event's arguments, if the bind file names no other.
var argsFields = []string{"args", "event_args"}

// args are the arguments that the line gives to its event's action; nil: none.
func (m *machine) args(e value.Value, event string) (*value.Tuple, error) {
	p := m.p
	var v value.Value
	if p.args != nil {
		if !p.args.guarded && !hasAll(e, p.args.paths) {
			return nil, nil
		}
		var err error
		if v, err = p.run.Value(p.args.f, nil, e); err != nil {
			return nil, err
		}
	} else {
		for _, name := range argsFields {
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
				return nil, fmt.Errorf("the event %q has no argument %s: its arguments are %s", event, name, value.Show(v))
			}
			list = append(list, arg)
		}
		return value.NewTuple(list...), nil
	case nil:
		return nil, nil
	}
	if v == p.json.null {
		return nil, nil
	}
	return nil, fmt.Errorf("the arguments of the event %q are %s, neither a sequence nor an object", event, value.Show(v))
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
