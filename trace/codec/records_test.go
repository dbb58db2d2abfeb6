package codec

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

type row struct {
	Mark
	name  string
	value int
}

func (r *row) code(c *Codec) {
	c.Name(&r.name)
	Int(c, &r.value)
}

// table is rows that change, and what they come to.
type table struct {
	rows    map[string]*row
	records Records[*row]
}

func (t *table) values() map[string]int {
	all := map[string]int{}
	for name, r := range t.rows {
		all[name] = r.value
	}
	return all
}

func (t *table) change(rng *rand.Rand) {
	name := fmt.Sprint("row ", rng.IntN(20))
	switch r := t.rows[name]; {
	case r == nil:
		r = &row{name: name, value: rng.Int()}
		t.rows[name] = r
		t.records.Add(r)
	case rng.IntN(3) == 0:
		t.records.Keep(r)
		delete(t.rows, name)
	default:
		t.records.Keep(r)
		r.value = rng.Int()
	}
}

func (t *table) write(c *Codec) {
	list := slices.SortedFunc(maps.Values(t.rows), func(a, b *row) int { return cmp.Compare(a.name, b.name) })
	before, after := "row 7", "row 7"
	c.Name(&before)
	t.records.Code(c, list, func(c *Codec, r *row) { r.code(c) })
	c.Name(&after)
	new(Records[*row]).Code(c, []*row{{name: "row 9"}, {name: "row 9"}}, func(c *Codec, r *row) { r.code(c) })
}

func read(t *testing.T, data []byte) map[string]int {
	t.Helper()
	got := map[string]int{}
	c := Reader(data)
	var before, after string
	c.Name(&before)
	new(Records[*row]).Code(c, nil, func(c *Codec, _ *row) {
		var r row
		r.code(c)
		got[r.name] = r.value
	})
	c.Name(&after)
	new(Records[*row]).Code(c, nil, func(c *Codec, _ *row) {
		var r row
		if r.code(c); r.name != "row 9" {
			t.Fatalf("one of the other rows is %q", r.name)
		}
	})
	if c.Close() != nil || before != "row 7" || after != before {
		t.Fatalf("%q and %q around the rows, error %v", before, after, c.Err())
	}
	return got
}

// However rows change while they are written in parts, what is read are those
// that there were when that began.
func TestRecords(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		all := table{rows: map[string]*row{}}
		for range 400 {
			all.change(rng)
			if rng.IntN(8) > 0 {
				continue
			}
			c := Writer(nil)
			if rng.IntN(4) > 0 {
				c.Divide()
			}
			want := all.values()
			all.write(c)
			leave := rng.IntN(4) == 0
			for !c.Rest(func() bool { return true }) && (!leave || rng.IntN(3) > 0) {
				for range rng.IntN(3) {
					all.change(rng)
				}
			}
			if !c.Rest(func() bool { return leave }) {
				continue // left in the midst, as by who begins once more
			}
			if got := read(t, c.Data()); !maps.Equal(got, want) {
				t.Fatalf("seed %d: read %v, want %v", seed, got, want)
			}
		}
	}
}

// However often a writing is left in the midst, the next one is of all.
func TestRecordsLeftInTheMidst(t *testing.T) {
	all := table{rows: map[string]*row{"a": {name: "a", value: 1}, "b": {name: "b", value: 2}}}
	for n := range 600 { // which no mark can count
		c := Writer(nil)
		c.Divide()
		all.write(c)
		if done := c.Rest(func() bool { return n%256 != 255 }); !done {
			continue
		}
		if got, want := read(t, c.Data()), all.values(); !maps.Equal(got, want) {
			t.Fatalf("after %d: read %v, want %v", n, got, want)
		}
	}
}

// Only a writing in parts that is under way has a number, and each its own.
func TestRecordsAreNumbered(t *testing.T) {
	all := table{rows: map[string]*row{"a": {name: "a"}}}
	var numbers []uint32
	for range 2 {
		numbers = append(numbers, all.records.Writing())
		c := Writer(nil)
		c.Divide()
		all.write(c)
		numbers = append(numbers, all.records.Writing())
		c.Rest(func() bool { return false })
	}
	if fmt.Sprint(numbers) != "[0 1 0 2]" {
		t.Errorf("the numbers are %v", numbers)
	}
}
