package eval

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tracecheck/tlaplus/value"
)

// IOUtils, TLCExt, and VectorClocks of the community modules. Nothing is written,
// and no command is run.

func (lib library) inputOutput() {
	lib.register("IOUtils", nil,
		&Native{Name: "IOEnv", F0: func(r *Run) value.Value {
			env := map[string]value.Value{}
			for _, name := range slices.Sorted(maps.Keys(r.Env)) { // the order of strings is that of their first appearance
				env[name] = r.Space.String(r.Env[name])
			}
			return r.Record(env)
		}},
		one("atoi", func(_ *Run, s value.Value) value.Value {
			n, err := strconv.ParseInt(text(s), 10, 32)
			if err != nil {
				value.Fail("atoi(%s): no integer", value.Show(s))
			}
			return value.Of(n)
		}),
		two("zeroPadN", func(r *Run, n, width value.Value) value.Value {
			if integer(width) > mostPadded {
				value.Fail("zeroPadN(%s, %s): at most %d digits", value.Show(n), value.Show(width), mostPadded)
			}
			s := string(value.Append(nil, n))
			for int64(len(s)) < integer(width) {
				s = "0" + s
			}
			return r.Space.String(s)
		}),
		refused("IOExec", 1), refused("IOEnvExec", 2), refused("IOExecTemplate", 2), refused("IOEnvExecTemplate", 3),
		refused("Serialize", 3), refused("Deserialize", 2), refused("IOSerialize", 3), refused("IODeserialize", 2))
	lib.register("TLCExt", nil,
		&Native{Name: "AssertEq", Arity: 2, Prints: true, F2: func(r *Run, a, b value.Value) value.Value {
			if !value.Equal(a, b) {
				r.print(r.Space.String("AssertEq: " + value.Show(a) + " and " + value.Show(b)))
				return value.False
			}
			return value.True
		}},
		some("AssertError", []int{0, 0}, func(r *Run, args []any) (v value.Value) {
			want := strings.Join(strings.Fields(text(r.Arg(args[0]))), " ")
			var bad *Error
			if !errors.As(r.Fork().protect(func() { r.Arg(args[1]) }), &bad) {
				return value.False
			}
			// Other messages than those of Assert are not TLC's.
			return value.Truth(!strings.HasPrefix(bad.Msg, asserted) || strings.Join(strings.Fields(bad.Msg), " ") == want)
		}),
		&Native{Name: "TLCGetOrDefault", Arity: 2, Level: state, F2: func(r *Run, key, otherwise value.Value) value.Value {
			if isRegister(key) && r.regs[key] == nil {
				return otherwise
			}
			return tlcGet(r, key)
		}},
		&Native{Name: "TLCGetAndSet", Arity: 4, Ops: []int{0, 2, 0, 0}, Level: state, FN: func(r *Run, args []any) value.Value {
			key := r.Arg(args[0])
			old := r.Arg(args[3])
			if isRegister(key) && r.regs[key] != nil {
				old = r.regs[key]
			}
			tlcSet(r, key, r.Call(args[1], old, r.Arg(args[2])))
			return old
		}},
		one("TLCModelValue", func(r *Run, s value.Value) value.Value { return r.Space.Model(text(s)) }),
		one("TLCNoOp", func(_ *Run, v value.Value) value.Value { return v }),
		&Native{Name: "TLCDefer", Arity: 1, Level: state, FN: func(*Run, []any) value.Value { return value.True }},
		some("TLCCache", []int{0, 0}, func(r *Run, args []any) value.Value { return r.Arg(args[0]) }),
		&Native{Name: "PickSuccessor", Arity: 1, FN: func(*Run, []any) value.Value { return value.True }},
		one("TLCFP", func(_ *Run, v value.Value) value.Value { return value.Of(int64(int32(value.Hash(v)))) }),
		&Native{Name: "Trace", Level: state, F0: traceOf},
		&Native{Name: "CounterExample", Level: state, F0: func(r *Run) value.Value { // where there is one, it is the verdict
			return r.Record(map[string]value.Value{"state": value.NoElements, "action": value.NoElements})
		}},
		refused("ToTrace", 1), refused("TLCEvalDefinition", 1))
	lib.register("VectorClocks", []string{"Naturals", "Sequences", "Functions"},
		some("IsCausalOrder", []int{0, 1}, func(r *Run, args []any) value.Value {
			var clocks []value.Value
			for _, e := range seq(r.Arg(args[0])) {
				clock := r.Call(args[1], e)
				for _, earlier := range clocks {
					if r.spend(); before(clock, earlier) {
						return value.False
					}
				}
				clocks = append(clocks, clock)
			}
			return value.True
		}),
		some("CausalOrder", []int{0, 1, 1, 1}, causalOrder))
}

const mostPadded = 1000

// refused is an operator that is not supported.
func refused(name string, arity int) *Native {
	return &Native{Name: name, Arity: arity, Level: state, FN: func(*Run, []any) value.Value {
		value.Fail("%s is not supported", name)
		return nil
	}}
}

func clockOf(c, node value.Value) int64 {
	if i := domain(c).Index(node); i >= 0 {
		return integer(value.Apply(c, node))
	}
	return 0
}

// before reports whether the clock a happened before b. A node that a clock does
// not have is at 0.
func before(a, b value.Value) bool {
	less := false
	for _, node := range domain(a).Each() {
		x, y := clockOf(a, node), clockOf(b, node)
		if x > y {
			return false
		}
		less = less || x < y
	}
	for _, node := range domain(b).Each() {
		less = less || clockOf(a, node) < clockOf(b, node)
	}
	return less
}

// traceOf is the sequence of the states on the way to the current one.
func traceOf(r *Run) value.Value {
	if r.cur == nil || slices.Contains(r.cur.Vals, nil) {
		value.Fail("Trace needs a state in which each variable has a value")
	}
	if r.Path == nil {
		value.Fail("Trace is not supported here")
	}
	var list []value.Value
	for _, st := range r.Path(r.cur) {
		fields := map[string]value.Value{}
		for i, name := range r.Variables {
			fields[name] = st.Vals[i]
		}
		list = append(list, r.Record(fields))
	}
	return value.NewTuple(list...)
}
