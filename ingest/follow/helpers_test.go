package follow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"tracecheck/ingest"
)

// quick is a pace for tests.
var quick = pace{poll: 5 * time.Millisecond, grace: 40 * time.Millisecond, old: 100 * time.Millisecond}

// patience is how long a test waits for what must come.
const patience = 2 * time.Minute

// node is a line, with its end, whose event has that id.
func node(id string) string {
	return fmt.Sprintf(`{"stream":"s","kind":"node","op":"snapshot","id":%q,"object":{"state":"up"}}`, id) + "\n"
}

func nodes(ids ...string) string {
	var all strings.Builder
	for _, id := range ids {
		all.WriteString(node(id))
	}
	return all.String()
}

// disk is a folder with a log.
type disk struct {
	t   testing.TB
	dir string
}

const logName = "events.jsonl"

func newDisk(t testing.TB) *disk { return &disk{t, t.TempDir()} }

func (d *disk) path(name string) string { return filepath.Join(d.dir, name) }

func (d *disk) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

// add appends to a file, which need not be there.
func (d *disk) add(name, text string) {
	d.t.Helper()
	f, err := os.OpenFile(d.path(name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	d.must(err)
	_, err = f.WriteString(text)
	d.must(err)
	d.must(f.Close())
}

func (d *disk) rename(from, to string) {
	d.t.Helper()
	d.must(os.Rename(d.path(from), d.path(to)))
}

func (d *disk) remove(name string) {
	d.t.Helper()
	d.must(os.Remove(d.path(name)))
}

func (d *disk) truncate(name string, size int64) {
	d.t.Helper()
	d.must(os.Truncate(d.path(name), size))
}

// copy makes a copy, as copytruncate does before it truncates.
func (d *disk) copy(from, to string) {
	d.t.Helper()
	data, err := os.ReadFile(d.path(from))
	d.must(err)
	d.must(os.WriteFile(d.path(to), data, 0o600))
}

// pack compresses a file as gzip and zstd do: beside it, with its times.
func (d *disk) pack(name, ext string) {
	d.t.Helper()
	data, err := os.ReadFile(d.path(name))
	d.must(err)
	info, err := os.Stat(d.path(name))
	d.must(err)
	d.must(os.WriteFile(d.path(name+ext), packed(d.t, ext, data), 0o600))
	d.must(os.Chtimes(d.path(name+ext), info.ModTime(), info.ModTime()))
	d.remove(name)
}

func packed(t testing.TB, ext string, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	var err error
	if ext == ".gz" {
		w := gzip.NewWriter(&b)
		_, err = w.Write(data)
		w.Close()
	} else {
		var w *zstd.Encoder
		if w, err = zstd.NewWriter(&b); err == nil {
			_, err = w.Write(data)
			w.Close()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// follower follows the log of a disk.
type follower struct {
	t    testing.TB
	opts Options
	path string
	hold sync.Mutex   // held: nothing is taken
	asks atomic.Int64 // batches that came, taken or not
	stop func() error

	mu     sync.Mutex
	grown  *sync.Cond
	got    []string // "line id", "bad line: …" and "missed line: …"
	from   string   // the position behind them
	saved  []save   // after each batch
	lag    int64
	lines  []ingest.LineDecoder
	bad    [][]string // the streams of bad lines
	failed error
}

// save is what a checkpoint after a batch has.
type save struct {
	got  int
	from string
	lag  int64
}

func (d *disk) follow(opts ...func(*Options)) *follower {
	d.t.Helper()
	f := &follower{t: d.t, path: d.path(logName), opts: Options{pace: quick}}
	for _, o := range opts {
		o(&f.opts)
	}
	f.grown = sync.NewCond(&f.mu)
	f.start()
	d.t.Cleanup(func() { f.stop() })
	return f
}

// start follows on from where it was.
func (f *follower) start() {
	f.t.Helper()
	file, err := Open(f.path, f.opts)
	if err != nil {
		f.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	from := f.from
	f.failed = nil
	go func() {
		err := file.Follow(ctx, from, f.take)
		f.mu.Lock()
		f.failed = err
		f.grown.Broadcast()
		f.mu.Unlock()
		done <- err
	}()
	f.stop = sync.OnceValue(func() error {
		cancel()
		select {
		case err := <-done:
			return err
		case <-time.After(patience):
			return errors.New("it did not end")
		}
	})
}

// end stops it.
func (f *follower) end() {
	f.t.Helper()
	if err := f.stop(); !errors.Is(err, context.Canceled) {
		f.t.Fatalf("it ended with %v", err)
	}
}

func (f *follower) take(b *Batch) error {
	f.asks.Add(1)
	f.hold.Lock()
	defer f.hold.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	if b.Missed != nil {
		f.got = append(f.got, fmt.Sprintf("missed %d: %s", b.Missed.Pos.Line, b.Missed.Reason))
	}
	bad := b.Bad
	for i := range len(b.Events) + 1 {
		for ; len(bad) > 0 && bad[0].Before == i; bad = bad[1:] {
			f.bad = append(f.bad, bad[0].Streams)
			f.got = append(f.got, fmt.Sprintf("bad %d: %s", bad[0].Err.Pos.Line, bad[0].Err.Reason))
		}
		if i < len(b.Events) {
			ev := &b.Events[i]
			if ev.Pos.File != f.path {
				f.t.Errorf("an event of %s, want %s", ev.Pos.File, f.path)
			}
			f.got = append(f.got, fmt.Sprintf("%d %s", ev.Pos.Line, ev.ID))
		}
	}
	if len(bad) > 0 {
		f.t.Errorf("%d bad lines are before no event of %d", len(bad), len(b.Events))
	}
	f.lines = append(f.lines, b.Lines)
	f.from, f.lag = b.Next, b.Lag
	f.saved = append(f.saved, save{len(f.got), f.from, f.lag})
	f.grown.Broadcast()
	return nil
}

// until waits until the condition holds, which may look at the follower.
func (f *follower) until(what string, holds func() bool) {
	f.t.Helper()
	begin := time.Now()
	tick := time.AfterFunc(patience, func() { f.mu.Lock(); f.grown.Broadcast(); f.mu.Unlock() })
	defer tick.Stop()
	f.mu.Lock()
	defer f.mu.Unlock()
	for !holds() {
		if time.Since(begin) >= patience {
			f.t.Fatalf("never: %s; the last of %d that came are %.200q", what, len(f.got), f.got[max(0, len(f.got)-8):])
		}
		if f.failed != nil {
			f.t.Fatalf("it failed: %v", f.failed)
		}
		f.grown.Wait()
	}
}

// wait waits for an entry that begins so, as the last one.
func (f *follower) wait(last string) {
	f.t.Helper()
	f.until("the last is "+last, func() bool { return len(f.got) > 0 && strings.HasPrefix(f.got[len(f.got)-1], last) })
}

// want compares all that came. A text that ends with … is a beginning.
func (f *follower) want(want ...string) {
	f.t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	same := slices.EqualFunc(f.got, want, func(got, want string) bool {
		begin, ok := strings.CutSuffix(want, "…")
		return got == want || ok && strings.HasPrefix(got, begin)
	})
	if !same {
		f.t.Errorf("got %q, want %q", f.got, want)
	}
}
