package bind

import (
	"fmt"
	"slices"
	"strings"

	"tracecheck/tlaplus/eval"
	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// The preset for logs of lbinria's trace validation: a line may have, under the name of
// a variable, a list of updates {"op", "path", "args"}. Each changes the variable, or
// the part of it that the path leads to.

// preset adds what the preset observes.
func (c *compiler) preset() {
	const file = "preset " + lbinria
	var text []string
	for _, name := range c.p.spec.Variables {
		text = append(text, fmt.Sprintf("%s' = %s(%s, %q, %s.%s)", name, updatedName, name, name, lineName, name))
	}
	whole := strings.Join(text, "\n")
	for i, line := range text {
		n, err := syntax.ParseExpr(file, []byte(strings.Repeat("\n", i)+line))
		if err == nil {
			var f *eval.Formula
			if f, err = c.p.spec.Formula(file, whole, n, lineName); err == nil {
				paths, _ := pathsOf(n)
				c.p.first = append(c.p.first, len(c.p.observe))
				c.p.observe = append(c.p.observe, clause{name: c.p.spec.Variables[i], f: f, paths: paths})
			}
		}
		c.note(err)
	}
	if c.p.event == nil {
		n, _ := syntax.ParseExpr(file, []byte(lineName+".event"))
		f, err := c.p.spec.Formula(file, whole, n, lineName)
		c.note(err)
		paths, _ := pathsOf(n)
		c.p.event = &clause{f: f, paths: paths}
	}
}

// apply is a variable with updates, in their order.
func (p *program) apply(v value.Value, name string, updates value.Value) value.Value {
	initial := value.Value(nil)
	if i := slices.Index(p.spec.Variables, name); i >= 0 && p.initial != nil {
		initial = p.initial[i]
	}
	list, ok := updates.(*value.Tuple)
	if !ok {
		value.Fail("the updates of %s are %s, which is not a list", name, value.Show(updates))
	}
	for _, u := range list.Elems {
		op, path, args := reached(u, step{field: "op"}), reached(u, step{field: "path"}), reached(u, step{field: "args"})
		what, isText := op.(*value.Str)
		way, isPath := path.(*value.Tuple)
		with, isArgs := args.(*value.Tuple)
		if !isText || !isPath || !isArgs {
			value.Fail("%s is not an update of %s: it has an op, a path and args", value.Show(u), name)
		}
		v = p.at(v, initial, way.Elems, func(v, initial value.Value) value.Value { return p.update(what.Text, v, initial, with.Elems) })
	}
	return v
}

// at changes the part of a value that a path leads to.
func (p *program) at(v, initial value.Value, path []value.Value, change func(v, initial value.Value) value.Value) value.Value {
	if len(path) == 0 {
		return change(v, initial)
	}
	if initial != nil {
		initial = value.Apply(initial, path[0])
	}
	return value.With(v, path[0], func(v value.Value) value.Value { return p.at(v, initial, path[1:], change) })
}

// updateWords are the words of updates that their readers know.
var updateWords = []string{"op", "path", "args", "event", "event_args", "Update", "Init", "InitRec", "AddElement", "AddElements", "RemoveElement", "Clear", "ClearBag",
	"AddElementToBag", "RemoveElementFromBag", "AppendElement", "ResetKey", "SetKey", "UpdateRec", "Add", "Sub", "Unchanged"}

// update is what an update's op makes of a value.
func (p *program) update(op string, v, initial value.Value, args []value.Value) value.Value {
	arg := func(i int) value.Value {
		if i >= len(args) {
			value.Fail("the update %s has %d arguments, and needs more", op, len(args))
		}
		return args[i]
	}
	one := func(v value.Value) value.Value { return value.NewSet([]value.Value{v}) }
	switch op {
	case "Update":
		return arg(0)
	case "Init":
		return initial
	case "InitRec":
		return p.records(v, initial)
	case "AddElement":
		return value.Combine(value.Union, v, one(arg(0)))
	case "AddElements":
		return value.Combine(value.Union, v, value.NewSet(slices.Clone(elements(arg(0)))))
	case "RemoveElement":
		return value.Combine(value.Difference, v, one(arg(0)))
	case "Clear":
		return value.NoElements
	case "ClearBag":
		return value.Empty
	case "AddElementToBag":
		return bag(v, arg(0), 1)
	case "RemoveElementFromBag":
		return bag(v, arg(0), -1)
	case "AppendElement":
		return value.NewTuple(append(slices.Clone(elements(v)), arg(0))...)
	case "ResetKey":
		return value.With(v, arg(0), func(value.Value) value.Value { return p.json.null })
	case "SetKey":
		return value.With(v, arg(0), func(value.Value) value.Value { return arg(1) })
	case "UpdateRec":
		return p.records(v, arg(0))
	case "Add", "Sub":
		n, ok := v.(value.Int)
		by, also := arg(0).(value.Int)
		if !ok || !also {
			value.Fail("the update %s is of integers", op)
		}
		if op == "Sub" {
			by = -by
		}
		return value.Of(int64(n) + int64(by))
	case "Unchanged":
		return v
	}
	value.Fail("the update %q is none of the preset's", op)
	return nil
}

// records is a function with the values that another one has for its arguments.
func (p *program) records(v, by value.Value) value.Value {
	for _, k := range value.Enumerate(value.Domain(v)).Each() {
		if by != nil && value.Contains(value.Domain(by), k) {
			v = value.With(v, k, func(value.Value) value.Value { return value.Apply(by, k) })
		}
	}
	return v
}

func elements(v value.Value) []value.Value {
	t, ok := v.(*value.Tuple)
	if !ok {
		value.Fail("%s is not a sequence", value.Show(v))
	}
	return t.Elems
}

// bag counts an element once more, or once less where it is there.
func bag(v, e value.Value, by int64) value.Value {
	dom := value.Enumerate(value.Domain(v))
	count := func(n value.Value) value.Value {
		i, ok := n.(value.Int)
		if !ok {
			value.Fail("%s is not a bag", value.Show(v))
		}
		return value.Of(int64(i) + by)
	}
	if dom.Index(e) >= 0 {
		return value.With(v, e, count)
	}
	if by < 0 {
		return v
	}
	all := value.NewSet(append(slices.Clone(dom.Elems()), e))
	vals := make([]value.Value, all.Len())
	for i, k := range all.Each() {
		if vals[i] = value.Value(value.Of(1)); dom.Index(k) >= 0 {
			vals[i] = value.Apply(v, k)
		}
	}
	return value.NewFcn(all, vals)
}
