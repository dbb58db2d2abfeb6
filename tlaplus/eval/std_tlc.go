package eval

import (
	"maps"
	"slices"
	"strings"

	"tracecheck/tlaplus/value"
)

// The module TLC.

func (lib library) tlc() {
	lib.register("TLC", nil,
		&Native{Name: "Print", Arity: 2, Prints: true, FN: func(r *Run, args []any) value.Value {
			r.print(r.Arg(args[0]))
			return r.Arg(args[1])
		}},
		&Native{Name: "PrintT", Arity: 1, Prints: true, F1: func(r *Run, a value.Value) value.Value {
			r.print(a)
			return value.True
		}},
		&Native{Name: "Assert", Arity: 2, FN: func(r *Run, args []any) value.Value {
			v := r.Arg(args[0])
			if b, ok := v.(value.Bool); !ok || !bool(b) {
				value.Fail("%s%s", asserted, value.Show(r.Arg(args[1])))
			}
			return value.True
		}},
		fixed("Any", value.Any),
		&Native{Name: "JavaTime", Level: state, F0: func(*Run) value.Value { return value.Of(1) }},
		&Native{Name: "TLCGet", Arity: 1, Level: state, F1: tlcGet},
		&Native{Name: "TLCSet", Arity: 2, Level: state, F2: tlcSet},
		two(":>", func(_ *Run, a, b value.Value) value.Value {
			return value.NewFcn(value.NewSet([]value.Value{a}), []value.Value{b})
		}),
		two("@@", func(_ *Run, a, b value.Value) value.Value { return value.Merge(a, b) }),
		one("Permutations", permutations),
		&Native{Name: "SortSeq", Arity: 2, Ops: []int{0, 2}, FN: func(r *Run, args []any) value.Value {
			elems := slices.Clone(tuple(r.Arg(args[0])).Elems)
			less := func(a, b value.Value) bool { return r.holds(args[1], a, b) }
			slices.SortStableFunc(elems, func(a, b value.Value) int {
				switch {
				case less(a, b):
					return -1
				case less(b, a):
					return 1
				}
				return 0
			})
			return value.NewTuple(elems...)
		}},
		&Native{Name: "RandomElement", Arity: 1, Level: state, F1: func(r *Run, a value.Value) value.Value {
			s := value.Enumerate(a)
			if s.Len() == 0 {
				value.Fail("RandomElement of the empty set")
			}
			return s.At(r.random(s.Len()))
		}},
		one("ToString", func(r *Run, a value.Value) value.Value { return r.made(value.AppendUpTo(nil, a, mostText)) }),
		one("TLCEval", func(_ *Run, a value.Value) value.Value {
			if l, ok := a.(*value.Lambda); ok && value.IsFinite(l.Dom) {
				return l.Force()
			}
			if value.IsSet(a) && value.IsFinite(a) {
				return value.Enumerate(a)
			}
			return a
		}))
}

// asserted is how the message of a failing Assert begins, as in TLC.
const asserted = "The first argument of Assert evaluated to FALSE; the second argument was: "

// Record is a record of the fields.
func (r *Run) Record(fields map[string]value.Value) value.Value {
	var names []*value.Str
	var vals []value.Value
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		names, vals = append(names, r.Space.String(name)), append(vals, fields[name])
	}
	return r.record(names, vals)
}

// record is the record of these fields: of one that is there twice, the last counts.
func (r *Run) record(names []*value.Str, vals []value.Value) value.Value {
	dom, at := r.Space.Fields(names)
	list := make([]value.Value, dom.Len())
	for i, v := range vals {
		list[at[i]] = v
	}
	return value.NewFcn(dom, list)
}

func (r *Run) print(v value.Value) {
	r.unrepeatable()
	if r.Print != nil {
		r.Print(text(v))
	}
}

// text is a string's text, and another value as it is written.
func text(v value.Value) string {
	if s, ok := v.(*value.Str); ok {
		return s.Text
	}
	return value.Show(v)
}

func tlcGet(r *Run, key value.Value) value.Value {
	name, ok := key.(*value.Str)
	switch {
	case isRegister(key):
		if v := r.regs[key]; v != nil {
			return v
		}
		value.Fail("TLCGet(%s): the register has no value", value.Show(key))
	case !ok:
		value.Fail("TLCGet(%s): a register's number or a name is expected", value.Show(key))
	}
	switch name.Text {
	case "level":
		return value.Of(int64(r.Level))
	case "config":
		number := r.Space.String("0")
		return r.Record(map[string]value.Value{"mode": r.Space.String("bfs"), "worker": value.Of(1), "deadlock": value.Truth(r.deadlock),
			"seed": number, "fingerprint": number, "install": r.Space.String("")})
	case "all":
		return r.registers(isInt)
	case "all:named":
		return r.registers(func(key value.Value) bool { return !isInt(key) })
	}
	if answer := r.Answers[name.Text]; answer != nil {
		return answer()
	}
	property, ok := strings.CutPrefix(name.Text, "-D")
	switch {
	case !ok || slices.ContainsFunc(ofJava, func(of string) bool { return strings.HasPrefix(property, of+".") }):
		value.Fail("TLCGet(%q) is not supported", name.Text)
	case property == "tlc2.tool.impl.Tool.cdot":
		return r.Space.String("true")
	}
	return name
}

// ofJava begin the system properties that Java itself sets. TLC shows the others, if they
// are not set, as they are asked for. \cdot works here as where TLC's switch for it is set.
var ofJava = []string{"awt", "file", "ftp", "http", "https", "java", "jdk", "line", "native", "os", "path", "stderr", "stdin", "stdout", "sun", "user"}

// isRegister reports whether it names a register: 0, 1, 2 …, or s: and a name.
func isRegister(key value.Value) bool {
	switch k := key.(type) {
	case value.Int:
		return k >= 0
	case *value.Str:
		return strings.HasPrefix(k.Text, "s:")
	}
	return false
}

func isInt(v value.Value) bool {
	_, is := v.(value.Int)
	return is
}

// registers are the values of some registers: of each a sequence with that of the worker.
func (r *Run) registers(in func(key value.Value) bool) value.Value {
	var keys, vals []value.Value
	for key := range r.regs {
		if in(key) {
			keys = append(keys, key)
		}
	}
	dom := value.NewSet(keys)
	for _, key := range dom.Elems() {
		vals = append(vals, value.NewTuple(r.regs[key]))
	}
	return value.NewFcn(dom, vals)
}

func tlcSet(r *Run, key, v value.Value) value.Value {
	if isRegister(key) {
		r.regs[key], r.wrote = v, true
		return value.True
	}
	name, ok := key.(*value.Str)
	switch {
	case !ok:
		value.Fail("TLCSet(%s): a register's number or a name is expected", value.Show(key))
	case name.Text == "exit":
		r.Exit = r.Exit || v == value.True
	case name.Text != "pause":
		value.Fail("TLCSet(%q) is not supported: a register's name begins with s:", name.Text)
	}
	return value.True
}

// mostPermuted bounds a set whose permutations are made.
const mostPermuted = 9

// permutations is the set of the bijections from the set to itself.
func permutations(r *Run, a value.Value) value.Value {
	s := value.Enumerate(a)
	n := s.Len()
	if n > mostPermuted {
		value.Fail("Permutations of %d elements: at most %d are permuted", n, mostPermuted)
	}
	var out []value.Value
	vals := slices.Clone(s.Elems())
	var from func(i int)
	from = func(i int) {
		if i == n {
			out = append(out, value.NewFcn(s, slices.Clone(vals)))
			return
		}
		for k := i; k < n; k++ {
			vals[i], vals[k] = vals[k], vals[i]
			from(i + 1)
			vals[i], vals[k] = vals[k], vals[i]
		}
	}
	from(0)
	return value.NewSet(out)
}

// random is a number below n, from a generator that is always the same.
func (r *Run) random(n int) int {
	r.seed = r.seed*6364136223846793005 + 1442695040888963407
	return int((r.seed >> 33) % uint64(n))
}
