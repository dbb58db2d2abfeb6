package history

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"

	"tracecheck/ingest"
	"tracecheck/trace"
)

// event is one that states its number, in a line of some length.
func event(t *testing.T, d *trace.Decoder, n, length int) trace.Event {
	raw := fmt.Sprintf(`{"seq":%d,"kind":"node","op":"update","id":"n%d","pad":"%s"}`, n, n%7, strings.Repeat("x", length))
	var ev trace.Event
	if err := d.Decode([]byte(raw), trace.Pos{File: fmt.Sprint("f", n/100%3), Line: n + 1}, &ev); err != nil {
		t.Fatal(err)
	}
	ev.Stream = fmt.Sprint("s", n%3) // as the key of a message names it
	return ev
}

// What is kept are the latest events, all of them from one on, as they were.
func TestRingKeepsTheLatest(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		r := New(64 << 10)
		var all []trace.Event
		lost := false
		for len(all) < 3000 {
			var d trace.Decoder
			batch := make([]trace.Event, 1+random.IntN(40))
			for i := range batch {
				batch[i] = event(t, &d, len(all)+i, random.IntN(150))
			}
			r.Add(batch)
			for i := range batch {
				all = append(all, batch[i].Clone())
				batch[i] = trace.Event{} // it may die
			}
			if len(all)%7 > 0 {
				continue
			}
			n := 0
			for l := range r.Latest() {
				n++
				if want := &all[len(all)-n]; l.Raw != want.Raw || l.Pos != want.Pos || !l.IsOf(want.Stream) {
					t.Fatalf("seed %d: the %dth latest of %d is %+v, want %+v", seed, n, len(all), l, want)
				}
			}
			from, whole := r.Reach()
			if from != all[len(all)-n].Pos || whole != (n == len(all)) {
				t.Fatalf("seed %d: %d of %d lines are kept, and the reach is %v, %v", seed, n, len(all), from, whole)
			}
			lost = lost || !whole
			at := len(all) - n
			if err := r.Each(func(events []trace.Event) error {
				for i := range events {
					if got, want := &events[i], &all[at]; got.Seq != want.Seq || got.ID != want.ID || got.Stream != want.Stream || got.Pos != want.Pos || got.Raw != want.Raw {
						t.Fatalf("seed %d: event %d is %+v, want %+v", seed, at, got, want)
					}
					at++
				}
				return nil
			}); err != nil || at != len(all) {
				t.Fatalf("seed %d: %v at %d of %d", seed, err, at, len(all))
			}
			if n < 200 && len(all) > 1000 {
				t.Fatalf("seed %d: no more than %d lines are kept", seed, n)
			}
		}
		if !lost {
			t.Errorf("seed %d: nothing was lost", seed)
		}
	}
}

// Lines that are kept together are as those that are kept one by one.
func TestRingKeepsText(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 2))
		r, want := New(256<<10), New(1<<20)
		for line := 1; line < 10_000; {
			var d trace.Decoder
			var events []trace.Event
			var text []byte
			file, first := fmt.Sprint("f", line/1000), line
			for range 1 + random.IntN(40) {
				raw := fmt.Sprintf(`{"stream":"s%d","seq":%d,"kind":"node","op":"update","id":"n%d"}`, line%3, line, line%7)
				ends := []string{"\n", "\r\n", "\n \t\r\n", "\n\n"}[random.IntN(4)]
				bom := ""
				if line == 1 {
					bom = "\uFEFF"
				}
				text = append(text, bom+raw+ends...)
				events = append(events, trace.Event{})
				if err := d.Decode([]byte(raw), trace.Pos{File: file, Line: line}, &events[len(events)-1]); err != nil {
					t.Fatal(err)
				}
				line += strings.Count(ends, "\n")
			}
			switch random.IntN(3) {
			case 0:
				r.Add(events)
			case 1:
				text = text[:strings.LastIndexByte(strings.TrimSpace(string(text)), '}')+1] // without a line end
				fallthrough
			default:
				r.addText(text, file, first, events)
			}
			want.Add(events)
			clear(text)
		}
		left := map[string]int{}
		next, stop := iter.Pull(want.Latest())
		defer stop()
		n := 0
		for l := range r.Latest() {
			n++
			w, ok := next()
			if !ok || l.Raw != w.Raw || l.Pos != w.Pos || !l.IsOf(w.stream) || l.IsOf("s") || l.IsOf("") {
				t.Fatalf("seed %d: the %dth latest is %+v, want %+v", seed, n, l, w)
			}
			left[fmt.Sprint(w.Pos, w.stream, w.Raw)]++
		}
		from, whole := r.Reach()
		if whole || n < 1000 {
			t.Errorf("seed %d: %d lines are kept, all: %v", seed, n, whole)
		}
		first := true
		if err := r.Each(func(events []trace.Event) error {
			for i := range events {
				if first && events[i].Pos != from {
					t.Errorf("seed %d: it reaches %v, but the first is %v", seed, from, events[i].Pos)
				}
				first = false
				left[fmt.Sprint(events[i].Pos, events[i].Stream, events[i].Raw)]--
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		for key, n := range left {
			if n != 0 {
				t.Fatalf("seed %d: %s is there %d times more backward", seed, key, n)
			}
		}
	}
}

// A text that is too long for a chunk is kept line by line.
func TestRingLongText(t *testing.T) {
	var d trace.Decoder
	r := New(64 << 10)
	var events []trace.Event
	var text []byte
	for n := range 100 {
		events = append(events, event(t, &d, n, 200))
		text = append(append(text, events[n].Raw...), '\n')
	}
	if r.addText(text, "", 1, events); len(r.chunks) < 2 {
		t.Fatalf("%d chunks", len(r.chunks))
	}
	for l := range r.Latest() {
		if last := &events[len(events)-1]; l.Raw != last.Raw || l.Pos != last.Pos {
			t.Errorf("the latest is %+v, want %+v", l, last)
		}
		break
	}
}

// A line that is too long for the ring is lost, which the ring states.
func TestRingLongLine(t *testing.T) {
	var d trace.Decoder
	r := New(64 << 10)
	r.Add([]trace.Event{event(t, &d, 0, 10), event(t, &d, 1, 64<<10), event(t, &d, 2, 10)})
	var seqs []int64
	_ = r.Each(func(events []trace.Event) error {
		for i := range events {
			seqs = append(seqs, events[i].Seq)
		}
		return nil
	})
	if _, whole := r.Reach(); whole || fmt.Sprint(seqs) != "[0 2]" {
		t.Errorf("events %v are kept, whole: %v", seqs, whole)
	}
}

func TestRingEachEnds(t *testing.T) {
	var d trace.Decoder
	r := New(64 << 10)
	r.Add([]trace.Event{event(t, &d, 0, 10)})
	bad := errors.New("bad")
	if err := r.Each(func([]trace.Event) error { return bad }); err != bad {
		t.Errorf("got %v", err)
	}
	if err := r.Each(func([]trace.Event) error { return trace.ErrStop }); err != nil {
		t.Errorf("got %v", err)
	}
	if from, whole := New(1).Reach(); from != (trace.Pos{}) || !whole {
		t.Errorf("an empty ring reaches %v, %v", from, whole)
	}
}

// Lines of blocks are kept without copies. Blocks go on with what is not kept any more,
// and what is kept stays as it is.
func TestRingHoldsBlocks(t *testing.T) {
	var text strings.Builder
	const all = 60_000
	for n := range all {
		fmt.Fprintf(&text, `{"stream":"s%d","seq":%d,"kind":"node","op":"update","id":"n%d"}`+"\n", n%3, n, n%7)
	}
	for _, size := range []int{1, 1 << 20, 64 << 20} {
		reader, err := ingest.Open([]string{"-"}, ingest.Options{Stdin: strings.NewReader(text.String())})
		if err != nil {
			t.Fatal(err)
		}
		r, read := New(size), 0
		for {
			b, err := reader.Next(t.Context())
			if err != nil {
				break
			}
			read += len(b.Events)
			r.Hold(b)
			b.Release()
		}
		from, whole := r.Reach()
		seq := int64(from.Line - 1)
		if whole != (size == 64<<20) || whole != (seq == 0) || read-int(seq) < 10_000 && size > 1 {
			t.Errorf("of %d lines, those from %v on are kept, all: %v", read, from, whole)
		}
		if err := r.Each(func(events []trace.Event) error {
			for i := range events {
				if ev := &events[i]; ev.Seq != seq || ev.Pos.Line != int(seq)+1 || ev.Stream != fmt.Sprint("s", seq%3) {
					t.Fatalf("got %+v, want the event %d", ev, seq)
				}
				seq++
			}
			return nil
		}); err != nil || read != all || seq != all {
			t.Errorf("%v; read %d, and kept up to %d", err, read, seq)
		}
		for l := range r.Latest() {
			if seq--; l.Pos.Line != int(seq)+1 {
				t.Fatalf("backwards: line %d, want %d", l.Pos.Line, seq+1)
			}
		}
	}
}

// byLine is an input that has a line at a time, as a live pipe.
type byLine struct{ lines [][]byte }

func (p *byLine) Read(to []byte) (n int, err error) {
	if len(p.lines) == 0 {
		return 0, io.EOF
	}
	n = copy(to, p.lines[0])
	p.lines = p.lines[1:]
	return n, nil
}

// Blocks of few lines take no more memory than the ring has.
func TestRingHoldsFewLines(t *testing.T) {
	const all, size = 2000, 1 << 20
	var pipe byLine
	for n := range all {
		pipe.lines = append(pipe.lines, fmt.Appendf(nil, `{"seq":%d,"kind":"node","op":"update","id":"n"}`+"\n", n))
	}
	reader, err := ingest.Open([]string{"-"}, ingest.Options{Stdin: &pipe})
	if err != nil {
		t.Fatal(err)
	}
	r, memory := New(size), 0
	for {
		b, err := reader.Next(t.Context())
		if err != nil {
			break
		}
		r.Hold(b)
		b.Release()
	}
	for _, c := range r.chunks {
		memory += cap(c.buf) + cap(c.lines)*lineNoted + c.held.Size()
	}
	n := 0
	for range r.Latest() {
		n++
	}
	if n != all || memory > size {
		t.Errorf("%d lines of %d take %d bytes, want at most %d", n, all, memory, size)
	}
}
