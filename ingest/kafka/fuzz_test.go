package kafka

import (
	"fmt"
	"testing"

	"tracecheck/trace"
)

// FuzzAnswer: no answer of a broker makes the reader panic, or hand out
// messages out of order or outside of what was asked for.
func FuzzAnswer(f *testing.F) {
	good, gap, damaged := kept(3, 5, 3, 4, 5), kept(6, 9, 7), kept(10, 11, 10)
	squeezed := kept(3, 5, 3)
	squeezed.attributes = 4
	bad := damaged.bytes()
	bad[len(bad)-1] ^= 1
	end := marker(12, 7, false)
	undone := kept(8, 8, 8).of(7)
	for _, list := range [][][]byte{
		{good.bytes(), gap.bytes()}, {good.bytes(), bad}, {squeezed.bytes()}, {undone.bytes(), end.bytes()}, {good.bytes()[:70]},
	} {
		var records []byte
		for _, b := range list {
			records = append(records, b...)
		}
		f.Add(records, int64(7), int64(0), int64(4), true)
		f.Add(resummed(append([]byte(nil), list[0]...)), int64(7), int64(0), int64(0), false)
	}
	f.Fuzz(func(t *testing.T, records []byte, producer, first, from int64, sum bool) {
		if sum && len(records) > 25 { // else the checksum keeps all else out
			records = resummed(append([]byte(nil), records...))
		}
		next, err := reach(records, from)
		switch {
		case err != nil:
			next = from + 1000 // the reader does not go on, but it must not panic
		case next < from:
			t.Errorf("it reaches %d, before %d", next, from)
		}
		whole, divided := divideAnswer(t, records, aborted{producer, first}, from, next, 1<<20), divideAnswer(t, records, aborted{producer, first}, from, next, 1)
		if fmt.Sprint(whole) != fmt.Sprint(divided) {
			t.Errorf("got %v if divided, want %v", divided, whole)
		}
	})
}

// divideAnswer returns what the batches of an answer have.
func divideAnswer(t *testing.T, records []byte, gone aborted, from, next int64, part int32) (all seen) {
	f := &flow{src: &Source{opts: Options{part: part}}}
	b := f.fresh()
	b.Span, b.File, b.asked, b.From, b.Next = Span{"t", 0, from, from + 1000}, trace.MessageFile("t", 0), from, from, min(next, from+1000)
	b.answer, b.pack = answer{records: records, aborted: []aborted{gone}}, f.pack(&call{})
	d, at := f.division(b), from
	d.send = func(b *Batch) bool {
		if b.From != at || b.Next < at {
			t.Errorf("a batch is from %d to %d, after offset %d", b.From, b.Next, at)
		}
		at = b.Next
		b.decode(1 << 10)
		for i := range b.Events {
			if o := b.Events[i].Pos.Number(); o < from || o >= b.Span.End {
				t.Errorf("event %d has the offset %d, outside of %d to %d", i, o, from, b.Span.End)
			}
		}
		for _, bad := range b.Bad {
			if bad.Before > len(b.Events) || bad.Err == nil {
				t.Errorf("bad %+v among %d events", bad, len(b.Events))
			}
		}
		all.take(b)
		f.recycle(b)
		return true
	}
	d.run()
	return all
}

// FuzzHeader: no bytes that come as an answer make it panic.
func FuzzHeader(f *testing.F) {
	span := Span{"t", 0, 0, 10}
	for _, version := range []int16{4, 5, 7, 11} {
		f.Add(version, []byte("\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x01t\x00\x00\x00\x01"+
			"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x0a\x00\x00\x00\x00\x00\x00\x00\x0a\x00\x00\x00\x00\x00\x00\x00\x00"+
			"\x00\x00\x00\x00\xff\xff\xff\xff\x00\x00\x00\x00"))
	}
	f.Fuzz(func(t *testing.T, version int16, raw []byte) {
		c := newCall(&span, 0, 1, 1)
		c.version = version
		c.raw.Write(raw)
		a, err := c.answer()
		if err != nil {
			return
		}
		if len(a.records) > len(raw) {
			t.Error("more records than bytes")
		}
	})
}
