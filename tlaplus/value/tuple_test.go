package value

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestExtend: tuples that are extended, cut and changed keep their elements, however
// many share them.
func TestExtend(t *testing.T) {
	type pair struct {
		is   *Tuple
		want []Value
	}
	random := rand.New(rand.NewPCG(1, 2))
	all := []pair{{Empty, nil}}
	for range 5000 {
		p := all[random.IntN(len(all))]
		n := len(p.want)
		switch random.IntN(4) {
		case 0, 1:
			var more []Value
			for range random.IntN(4) {
				more = append(more, Of(random.Int64N(1000)))
			}
			if random.IntN(2) == 0 {
				Hash(p.is)
			}
			p = pair{p.is.Extend(more...), slices.Concat(p.want, more)}
		case 2:
			from := random.IntN(n + 1)
			to := from + random.IntN(n-from+1)
			if random.IntN(2) == 0 {
				to = n
			}
			p = pair{p.is.Part(from, to), p.want[from:to]}
		case 3:
			if n > 0 {
				i, v := random.IntN(n), Of(random.Int64N(1000))
				want := slices.Clone(p.want)
				want[i] = v
				p = pair{With(p.is, Of(int64(i+1)), func(Value) Value { return v }).(*Tuple), want}
			}
		}
		all = append(all, p)
	}
	for i, p := range all {
		if fmt.Sprint(p.is.Elems) != fmt.Sprint(p.want) || Hash(p.is) != Hash(NewTuple(slices.Clone(p.want)...)) {
			t.Fatalf("tuple %d is %v, want %v", i, p.is.Elems, p.want)
		}
	}
}
