package kafka

import (
	"fmt"
	"slices"
	"testing"
)

// A large bundle is divided: batches have about the given size, and reading can continue
// after each of them, in the middle of the bundle.
func TestDivided(t *testing.T) {
	const messages, size = 1000, 4000
	var offsets []int64
	for n := range int64(messages) {
		offsets = append(offsets, 2*n) // compaction deleted the others
	}
	l := madeLog{bundles: []stored{kept(0, 2*messages, offsets...), kept(2*messages+1, 2*messages+1, 2*messages+1)}, high: 2*messages + 2, stable: 2*messages + 2}
	for _, compressed := range []bool{false, true} {
		if compressed {
			l.raw = map[int][]byte{0: l.bundles[0].compressed()}
		}
		c := cluster(t, 1)
		l.serve(c)
		s := open(t, Options{Brokers: c.ListenAddrs(), Topics: []string{"t"}, part: size})
		want := events(append(offsets, 2*messages+1)...)
		span := Span{"t", 0, 0, 2*messages + 2}
		var starts []int64
		at := int64(0)
		err := s.Drain(bounded(t), []Span{span}, func(b *Batch) error {
			starts = append(starts, b.From)
			bytes := 0
			for _, p := range b.parts {
				bytes += len(p.list)
			}
			if b.From != at || b.Next <= at || bytes > 2*size {
				t.Errorf("a batch from %d to %d has %d bytes, after offset %d", b.From, b.Next, bytes, at)
			}
			at = b.Next
			return nil
		})
		if err != nil || at != span.End || len(starts) < len(l.bundles[0].bytes())/(2*size) {
			t.Errorf("%d batches up to %d, error %v", len(starts), at, err)
		}
		for _, from := range starts {
			span.From = from
			left := slices.IndexFunc(offsets, func(o int64) bool { return o >= from })
			if left < 0 {
				left = len(offsets)
			}
			if got := drain(t, s, []Span{span}); !slices.Equal(got.events, want[left:]) {
				t.Errorf("from %d: got %d events, want %d", from, len(got.events), len(want)-left)
			}
		}
	}
}

// A bundle whose offsets do not ascend has no place to continue from.
func TestNotDivided(t *testing.T) {
	l := madeLog{bundles: []stored{kept(0, 3, 0, 2, 1, 3)}, high: 4, stable: 4}
	c := cluster(t, 1)
	l.serve(c)
	s := open(t, Options{Brokers: c.ListenAddrs(), Topics: []string{"t"}, part: 1})
	var got [][]string
	err := s.Drain(bounded(t), []Span{{"t", 0, 0, 4}}, func(b *Batch) error {
		var one seen
		one.take(b)
		got = append(got, one.events)
		return nil
	})
	if want := [][]string{events(0, 2, 1, 3)}; err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q, error %v; want %q", got, err, want)
	}
}

// What is left out takes no memory.
func TestAbortedIsNotKept(t *testing.T) {
	var records []byte
	for n := range int64(50) {
		records = append(records, kept(n, n, n).of(7).compressed()...)
	}
	f := &flow{src: &Source{opts: Options{part: partBytes}}}
	b := f.fresh()
	b.Span, b.Next = Span{"t", 0, 0, 50}, 50
	b.answer, b.pack = answer{records: records, aborted: []aborted{{7, 0}}}, f.pack(&call{})
	d := f.division(b)
	d.send = func(b *Batch) bool {
		if b.Aborted != 50 || len(b.pack.buf) > 0 {
			t.Errorf("%d messages are left out, want 50, and %d bytes are kept, want none", b.Aborted, len(b.pack.buf))
		}
		return true
	}
	d.run()
}
