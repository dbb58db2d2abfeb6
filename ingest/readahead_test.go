package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"tracecheck/internal/kinds"
	"tracecheck/trace"
)

// The events come in order, and those of a released block are not used again.
func TestOrder(t *testing.T) {
	noLeak(t)
	const many = 200_000
	data := updates(many)
	lines := strings.Split(string(data), "\n")
	r := open(t, bytes.NewReader(data), 0, stdinName)
	i := 0
	eachBlock(t, r, func(b *Block) {
		for j := range b.Events {
			sameUpdate(t, &b.Events[j], lines[i], i)
			i++
		}
	})
	if i != many {
		t.Errorf("%d events, want %d", i, many)
	}
}

// Blocks that are kept stay as they are, however much is read after them.
func TestKeptBlocks(t *testing.T) {
	const n = 50_000
	data := updates(n)
	lines := strings.Split(string(data), "\n")
	r := open(t, bytes.NewReader(data), 0, stdinName)
	var kept []*Block
	for {
		b, err := r.Next(t.Context())
		if err != nil {
			break
		}
		kept = append(kept, b)
	}
	i := 0
	for _, b := range kept {
		for j := range b.Events {
			sameUpdate(t, &b.Events[j], lines[i], i)
			i++
		}
	}
	if i != n {
		t.Errorf("%d events, want %d", i, n)
	}
}

func sameUpdate(t *testing.T, ev *trace.Event, line string, i int) {
	if ev.Pos != (trace.Pos{File: stdinName, Line: i + 1}) || ev.Seq != int64(i) || ev.Kind != kinds.Task ||
		ev.Fields.Get(fieldState).Str != "pending" || ev.Fields.Get(fieldNode).Str != "n"+strconv.Itoa(i%100) ||
		ev.Raw != line {
		t.Helper()
		t.Fatalf("event %d is %+v", i, *ev)
	}
}

func TestBuffersAreReused(t *testing.T) {
	r := open(t, &forever{line: []byte(update(1) + "\n")}, 0, stdinName)
	readAhead(r) // now as many blocks exist as ever will
	flying := cap(r.ordered)
	events := 0
	pass := func(blocks int) {
		for range blocks {
			b, err := r.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			events += len(b.Events)
			b.Release()
		}
	}
	pass(6 * flying) // each is used several times and has grown to what it needs
	events = 0
	var m0, m1 runtime.MemStats
	runtime.ReadMemStats(&m0)
	pass(4 * flying)
	runtime.ReadMemStats(&m1)
	if allocs := float64(m1.Mallocs-m0.Mallocs) / float64(events); allocs > 0.01 {
		t.Errorf("%.3f allocations per event, want none", allocs)
	}
	if used, read := int(m1.TotalAlloc-m0.TotalAlloc), events*len(update(1)); used > read/8 {
		t.Errorf("%d bytes were allocated to read %d", used, read)
	}
}

// A long line's buffer is not kept, nor by the events that pointed into it.
func TestLongBufferIsDropped(t *testing.T) {
	b := &Block{buf: make([]byte, 0, keptBuffer+1), Events: []trace.Event{{ID: "a"}}, free: make(chan *Block, 1)}
	b.Release()
	if b.buf != nil || b.Events[0].ID != "" {
		t.Errorf("a released block keeps %d bytes and %v", cap(b.buf), b.Events)
	}
}

// What is in flight is bounded: a Reader that nobody reads from stops reading.
func TestReadAheadIsBounded(t *testing.T) {
	noLeak(t)
	r := open(t, &forever{line: []byte(node("a") + "\n")}, 0, stdinName)
	read := readAhead(r)
	if bound := int64(cap(r.ordered)+2) * blockSize; read > bound || read == 0 {
		t.Errorf("read %d bytes ahead, want some, and at most %d", read, bound)
	}
}

// TestBlocksOfMediumFile: a small part of a file of 4 MB is read ahead, in blocks of 32 kB.
func TestBlocksOfMediumFile(t *testing.T) {
	noLeak(t)
	r := open(t, nil, 0, write(t, "medium.jsonl", updates(4<<20/len(update(1)))))
	// Compression is recognised in the first 64 kB.
	if read, bound := readAhead(r), int64(cap(r.ordered)+2)*smallBlock+64<<10; read > bound || read == 0 {
		t.Errorf("read %d bytes ahead, want some, and at most %d", read, bound)
	}
}

// readAhead waits until r reads no further, and returns how far it came.
func readAhead(r *Reader) int64 {
	for last := int64(-1); ; {
		time.Sleep(20 * time.Millisecond)
		read, _ := r.Progress()
		if read == last || read > 1<<30 {
			return read
		}
		last = read
	}
}

// forever repeats a line without end.
type forever struct {
	line []byte
	at   int
}

func (f *forever) Read(p []byte) (int, error) {
	for n := 0; n < len(p); {
		k := copy(p[n:], f.line[f.at:])
		n += k
		f.at = (f.at + k) % len(f.line)
	}
	return len(p), nil
}

// A live input's lines come at once, compressed or not, though more may
// follow, and half a line does not hold up the lines before it.
func TestLiveInput(t *testing.T) {
	type flusher interface {
		io.Writer
		Flush() error
	}
	writers := map[string]func(io.Writer) flusher{
		"plain": func(w io.Writer) flusher { return unbuffered{w} },
		"gzip":  func(w io.Writer) flusher { return gzip.NewWriter(w) },
		"zstd": func(w io.Writer) flusher {
			z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
			if err != nil {
				t.Fatal(err)
			}
			return z
		},
	}
	for name, wrap := range writers {
		t.Run(name, func(t *testing.T) {
			noLeak(t)
			pr, pw := io.Pipe()
			r := open(t, pr, 0, stdinName)
			texts := make(chan string)
			defer close(texts)
			go func() {
				w := wrap(pw)
				for s := range texts {
					io.WriteString(w, s)
					w.Flush()
				}
				pw.Close()
			}()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			half := 0
			for i := range 10 {
				line, next := node(fmt.Sprint("n", i))+"\n", node(fmt.Sprint("n", i+1))
				texts <- line[half:] + next[:10]
				half = 10
				b, err := r.Next(ctx)
				if err != nil {
					t.Fatalf("line %d: %v", i, err)
				}
				if len(b.Events) != 1 || b.Events[0].ID != fmt.Sprint("n", i) {
					t.Fatalf("line %d: got %v", i, b.Events)
				}
				b.Release()
			}
			r.Close() // half a line is never an event
		})
	}
}

type unbuffered struct{ io.Writer }

func (unbuffered) Flush() error { return nil }

func TestCancelWhileInputBlocks(t *testing.T) {
	for _, first := range []string{"", "\x1f", "\x1f\x8b", "\x28\xb5\x2f\xfd", node("a")[:9]} {
		t.Run(fmt.Sprintf("%q", first), func(t *testing.T) {
			noLeak(t)
			pr, pw := io.Pipe()
			go io.WriteString(pw, first)
			r, err := Open([]string{stdinName}, Options{Stdin: pr})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(10*time.Millisecond, cancel)
			for range 2 {
				if _, err := r.Next(ctx); err != context.Canceled {
					t.Errorf("got %v, want %v", err, context.Canceled)
				}
			}
			if _, err := r.Next(t.Context()); err != context.Canceled {
				t.Errorf("with another context: got %v, want the same error again", err)
			}
			// No Close: the end of the context ends the goroutines too.
		})
	}
}

// A pipe of the system is interrupted, but stays open: it is the caller's.
func TestCancelSystemPipe(t *testing.T) {
	pr, pw, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pr.Close(); pw.Close() })
	noLeak(t) // looks before the pipe is closed
	r := open(t, pr, 0, stdinName)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := r.Next(ctx); err != context.DeadlineExceeded {
		t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
	}
	if _, err := pr.Stat(); err != nil {
		t.Errorf("standard input was closed: %v", err)
	}
}

func TestCancelBeforeNext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := open(t, strings.NewReader(node("a")), 0, stdinName)
	if _, err := r.Next(ctx); err != context.Canceled {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

func TestClose(t *testing.T) {
	file := write(t, "a.jsonl", updates(50_000))
	for _, blocks := range []int{0, 1, 3} {
		t.Run(fmt.Sprint(blocks), func(t *testing.T) {
			noLeak(t)
			r := open(t, nil, 0, file, file)
			for range blocks {
				if _, err := r.Next(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 {
				if err := r.Close(); err != nil {
					t.Error(err)
				}
			}
			_, err := r.Next(t.Context())
			if _, again := r.Next(t.Context()); err == nil || err == io.EOF || err != again {
				t.Errorf("after Close, Next returned %v and then %v", err, again)
			}
		})
	}
}

func TestCloseEndsNext(t *testing.T) {
	noLeak(t)
	pr, _ := io.Pipe()
	r := open(t, pr, 0, stdinName)
	time.AfterFunc(10*time.Millisecond, func() { r.Close() })
	if _, err := r.Next(t.Context()); !errors.Is(err, errClosed) {
		t.Errorf("got %v, want %v", err, errClosed)
	}
}

// After the end, nothing is left even without Close.
func TestEndLeavesNothing(t *testing.T) {
	noLeak(t)
	r, err := Open([]string{write(t, "a", updates(10))}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := drain(t, r); err != nil {
		t.Fatal(err)
	}
}
