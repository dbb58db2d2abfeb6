package eval

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"tracecheck/internal/exhaustive"
	"tracecheck/tlaplus/value"
)

// TestNativesOfAnything applies each native to values of all kinds: a value or an
// evaluation error is what may come of it, soon.
func TestNativesOfAnything(t *testing.T) {
	p := &Program{Space: value.NewSpace(), assumed: map[value.Value]value.Value{}, ReadFile: func(string) ([]byte, error) { return nil, errors.New("no file") }}
	ints := func(n ...int64) (list []value.Value) {
		for _, i := range n {
			list = append(list, value.Of(i))
		}
		return list
	}
	str := func(s string) value.Value { return p.Space.String(s) }
	pairs := value.Enumerate(&value.Product{Sets: []value.Value{value.Interval{Lo: 1, Hi: 2}, value.Interval{Lo: 1, Hi: 2}}})
	r := p.NewRun()
	values := append(ints(-2147483648, -1, 0, 1, 2, 40, 2147483647),
		value.True, str(""), str("ab"), p.Space.Model("m"), value.Empty, value.NewTuple(ints(1, 2, 1)...), value.NewTuple(str("a"), str("b")),
		value.NewTuple(value.NewTuple(ints(1, 2)...), value.NewTuple(ints(3)...)), value.NoElements, value.NewSet(ints(1, 2, 3)),
		value.NewSet([]value.Value{value.NewTuple(ints(1, 2)...), value.NewTuple(ints(2, 1)...)}), value.Interval{Lo: 1, Hi: 2000000000},
		&value.Subset{Of: value.Interval{Lo: 1, Hi: 40}}, &value.Subset{Of: value.Interval{Lo: 1, Hi: 3}}, value.Nat, value.Integers, value.Strings,
		&value.Seq{Of: value.Nat}, &value.FcnSet{Dom: value.NewSet(ints(1, 2)), Range: value.Nat}, pairs,
		value.NewFcn(pairs, []value.Value{value.True, value.False, value.True, value.True}),
		value.NewFcn(value.NewSet(ints(5, 6)), ints(2000000000, 3)),
		&value.Lambda{Dom: value.Nat, Call: func(v value.Value) value.Value { return v }},
		r.Record(map[string]value.Value{"node": value.NewSet(ints(1, 2, 3)), "edge": pairs}),
		r.Record(map[string]value.Value{"node": value.NewSet(ints(1, 2)), "edge": value.NewSet([]value.Value{value.NewSet(ints(1, 2))})}),
		r.Record(map[string]value.Value{"num": value.Of(3), "den": value.Of(4)}),
	)
	operators := func(pick int, arity int) any {
		result := []func(list []any) value.Value{
			func([]any) value.Value { return value.True },
			func(list []any) value.Value { return r.get(list[len(list)-1]) },
			func(list []any) value.Value { return value.NewTuple(r.get(list[0])) },
		}[pick%3]
		return &operator{nat: &Native{Name: "op", Arity: arity, FN: func(_ *Run, list []any) value.Value { return result(list) }}}
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, module := range slices.Sorted(maps.Keys(natives())) {
		for _, nat := range natives()[module].ops {
			if nat.Not || nat.Name == "IOEnv" {
				continue
			}
			tries := 1
			for range nat.Arity {
				tries = min(tries*len(values), exhaustive.Or(40, 100))
			}
			for try := range tries {
				args, shown := make([]any, nat.Arity), make([]string, nat.Arity)
				for i := range args {
					pick := rnd.IntN(len(values))
					if nat.Arity == 1 {
						pick = try
					}
					args[i], shown[i] = values[pick], value.Show(values[pick])
					if nat.Ops != nil && nat.Ops[i] > 0 {
						args[i], shown[i] = operators(pick, nat.Ops[i]), fmt.Sprintf("op%d", pick%3)
					}
				}
				of := fmt.Sprintf("%s!%s(%s)", module, nat.Name, strings.Join(shown, ", "))
				done := time.AfterFunc(time.Minute, func() { panic(of + " does not end") })
				func() {
					defer func() {
						if x := recover(); x != nil {
							t.Errorf("%s: %v", of, x)
						}
					}()
					r := p.NewRun()
					r.MostWork = 10_000
					_ = r.protect(func() { value.Show(nat.call(r, args)) })
				}()
				done.Stop()
			}
		}
	}
}
