package sources

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"tracecheck/monitor"
)

// patienceOfTests is how long a test waits for what must come.
const patienceOfTests = 2 * time.Minute

// judge notes what the parts of a source give.
type judge struct {
	t    *testing.T
	stop func() error

	mu    sync.Mutex
	grown *sync.Cond
	got   map[string][]string // by part: "line id", "bad line streams: …", "missed line: …"
	next  map[string]monitor.Position
	last  monitor.Batch
	ended error
	over  bool
}

// watch runs the source from positions by part; nil: from the beginning.
func watch(t *testing.T, s monitor.Source, from map[string]monitor.Position) *judge {
	t.Helper()
	j := &judge{t: t, got: map[string][]string{}, next: map[string]monitor.Position{}}
	j.grown = sync.NewCond(&j.mu)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		err := s.Run(ctx, func(ctx context.Context, p monitor.Part) error {
			return p.Follow(ctx, from[p.Name()], func(b *monitor.Batch) error { return j.take(p.Name(), b) })
		})
		j.mu.Lock()
		j.ended, j.over = err, true
		j.grown.Broadcast()
		j.mu.Unlock()
	}()
	j.stop = func() error {
		cancel()
		j.until("the end", func() bool { return j.over })
		return j.ended
	}
	t.Cleanup(cancel)
	return j
}

var errTake = errors.New("it cannot be taken")

func (j *judge) take(part string, b *monitor.Batch) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	defer j.grown.Broadcast()
	add := func(format string, args ...any) { j.got[part] = append(j.got[part], fmt.Sprintf(format, args...)) }
	if b.Missed != nil {
		add("missed %d: %s", b.Missed.Pos.Line, b.Missed.Reason)
	}
	bad := b.Bad
	for i := range len(b.Events) + 1 {
		for ; len(bad) > 0 && bad[0].Before == i; bad = bad[1:] {
			add("bad %d %q: %s", bad[0].Err.Pos.Line, bad[0].Streams, bad[0].Err.Reason)
		}
		if i < len(b.Events) {
			ev := &b.Events[i]
			add("%d %s", ev.Pos.Line, strings.TrimSpace(ev.Stream+" "+ev.ID))
			if ev.ID == "refused" {
				return errTake
			}
		}
	}
	if len(bad) > 0 {
		j.t.Errorf("%d bad lines are before no event of %d", len(bad), len(b.Events))
	}
	j.next[part] = b.Next
	j.last = *b
	return nil
}

func (j *judge) until(what string, holds func() bool) {
	j.t.Helper()
	begin := time.Now()
	tick := time.AfterFunc(patienceOfTests, func() { j.mu.Lock(); j.grown.Broadcast(); j.mu.Unlock() })
	defer tick.Stop()
	j.mu.Lock()
	defer j.mu.Unlock()
	for !holds() {
		if time.Since(begin) >= patienceOfTests || j.over && what != "the end" {
			j.t.Fatalf("never: %s; it got %q, and ended with %v", what, j.got, j.ended)
		}
		j.grown.Wait()
	}
}

// wait waits for an entry of a part.
func (j *judge) wait(part, entry string) {
	j.t.Helper()
	j.until(entry+" of "+part, func() bool {
		for _, g := range j.got[part] {
			if strings.HasPrefix(g, entry) {
				return true
			}
		}
		return false
	})
}

// want compares what a part gave. A text that ends with … is a beginning.
func (j *judge) want(part string, want ...string) {
	j.t.Helper()
	j.mu.Lock()
	defer j.mu.Unlock()
	same := len(j.got[part]) == len(want)
	for i := 0; same && i < len(want); i++ {
		begin, cut := strings.CutSuffix(want[i], "…")
		same = j.got[part][i] == want[i] || cut && strings.HasPrefix(j.got[part][i], begin)
	}
	if !same {
		j.t.Errorf("%s gave %q, want %q", part, j.got[part], want)
	}
}

// node is a line of a stream.
func node(stream, id string) string {
	return fmt.Sprintf(`{"stream":%q,"kind":"node","op":"snapshot","id":%q,"object":{"state":"up"}}`, stream, id) + "\n"
}

func add(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
