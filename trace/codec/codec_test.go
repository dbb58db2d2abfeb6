package codec

import (
	"math"
	"reflect"
	"strings"
	"testing"
)

// all is one of each.
type all struct {
	i8    int8
	i64   int64
	u32   uint32
	yes   bool
	text  string
	names []string
}

func (a *all) code(c *Codec) {
	Int(c, &a.i8)
	Int(c, &a.i64)
	Uint(c, &a.u32)
	Bool(c, &a.yes)
	String(c, &a.text)
	Slice(c, &a.names, c.Name)
}

func TestBothWays(t *testing.T) {
	for _, want := range []all{
		{},
		{i8: -128, i64: math.MinInt64, u32: math.MaxUint32, yes: true, text: "ä\x00\xff", names: []string{"", "a", "b", "a", ""}},
		{i8: 127, i64: math.MaxInt64, names: []string{strings.Repeat("long", 5000)}},
	} {
		w := Writer(nil)
		w.Reset()
		want.code(w)
		var got all
		r := Reader(w.Data())
		got.code(r)
		if err := r.Close(); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("wrote %+v, read %+v: %v", want, got, err)
		}
		for cut := range w.Data() { // each shorter one is an error
			r := Reader(w.Data()[:cut])
			new(all).code(r)
			if r.Close() == nil {
				t.Errorf("%d bytes of %d pass for the whole", cut, len(w.Data()))
			}
		}
		longer := Reader(append(w.Data(), 0))
		new(all).code(longer)
		if longer.Close() == nil {
			t.Error("a byte too many passes")
		}
	}
}

func TestNamesAreWrittenOnce(t *testing.T) {
	w := Writer(nil)
	name := strings.Repeat("n", 100)
	for range 10 {
		w.Name(&name)
	}
	if n := len(w.Data()); n > 120 {
		t.Errorf("ten times one name of 100 bytes takes %d", n)
	}
}

// A writer is made for one stream after the other: what was wrong with one is
// not wrong with the next.
func TestResetForgetsErrors(t *testing.T) {
	want := all{i64: 7, names: []string{"a", "b"}}
	w := Writer(nil)
	w.Fail("this makes no sense")
	w.Reset()
	want.code(w)
	var got all
	r := Reader(w.Data())
	got.code(r)
	if err := r.Close(); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("wrote %+v, read %+v: %v", want, got, err)
	}
}

func TestOutOfRange(t *testing.T) {
	w := Writer(nil)
	big := 300
	Int(w, &big)
	var small int8
	if r := Reader(w.Data()); true {
		if Int(r, &small); r.Close() == nil {
			t.Errorf("300 is read as the int8 %d", small)
		}
	}
}

func FuzzReader(f *testing.F) {
	w := Writer(nil)
	(&all{i8: 5, text: "t", names: []string{"a", "a"}}).code(w)
	f.Add(w.Data())
	f.Fuzz(func(t *testing.T, data []byte) {
		var got all
		r := Reader(data)
		if got.code(r); r.Close() != nil {
			return
		}
		again := Writer(nil)
		got.code(again)
		var same all
		r = Reader(again.Data())
		if same.code(r); r.Close() != nil || !reflect.DeepEqual(same, got) {
			t.Errorf("%+v became %+v: %v", got, same, r.Err())
		}
	})
}
