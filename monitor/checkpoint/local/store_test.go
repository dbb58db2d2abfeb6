package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"tracecheck/internal/exhaustive"
	"tracecheck/monitor/checkpoint"
)

var _ checkpoint.Store = (*Store)(nil)

func openAt(t testing.TB, path string) *Store {
	t.Helper()
	return openIn(t, path, 0)
}

// littleShare is so little that most checkpoints of these tests are many
// transactions.
const littleShare = 1 << 10

// openIn opens it so that a transaction has so much of a checkpoint.
func openIn(t testing.TB, path string, share int) *Store {
	t.Helper()
	s, err := Open(path, Options{noSync: true, share: share})
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func partOf(t testing.TB, s *Store, name string) checkpoint.Part {
	t.Helper()
	p, err := s.Open(t.Context(), name)
	if err != nil {
		t.Fatalf("open %s: %v", name, err)
	}
	return p
}

// goesOn is a part whose owner has loaded what there is.
func goesOn(t testing.TB, s *Store, name string) checkpoint.Part {
	t.Helper()
	p := partOf(t, s, name)
	if _, err := load(p); err != nil {
		t.Fatalf("load %s: %v", name, err)
	}
	return p
}

// loaded is a checkpoint as Load gives it.
type loaded struct {
	head    string
	streams map[string]string
}

func load(p checkpoint.Part) (*loaded, error) {
	l := loaded{streams: map[string]string{}}
	calls := 0
	found, err := p.Load(context.Background(), func(head []byte) error {
		if calls++; calls != 1 {
			return errors.New("the head is not the first")
		}
		l.head = string(head)
		return nil
	}, func(name string, state []byte) error {
		if calls++; calls < 2 {
			return errors.New("a stream comes before the head")
		}
		if _, twice := l.streams[name]; twice {
			return fmt.Errorf("%q comes twice", name)
		}
		l.streams[name] = string(state)
		return nil
	})
	if err != nil || !found {
		return nil, err
	}
	return &l, nil
}

func expect(t testing.TB, p checkpoint.Part, head string, streams map[string]string) {
	t.Helper()
	got, err := load(p)
	if err != nil {
		t.Fatalf("load: %v", err)
	}
	if got == nil || got.head != head || !maps.Equal(got.streams, streams) {
		t.Fatalf("got %v, want head %q, streams %v", got, head, streams)
	}
}

func save(t testing.TB, p checkpoint.Part, c *checkpoint.Change) {
	t.Helper()
	if err := p.Save(t.Context(), c); err != nil {
		t.Fatalf("save: %v", err)
	}
}

func stream(name, state string) checkpoint.Stream {
	return checkpoint.Stream{Name: name, State: []byte(state)}
}

// Random changes of several parts give what the same changes make of maps,
// across openings of the file.
func TestSaveAndLoad(t *testing.T) {
	for _, share := range []int{0, littleShare, 1} {
		t.Run(fmt.Sprint(share), func(t *testing.T) { saveAndLoad(t, share) })
	}
}

func saveAndLoad(t *testing.T, share int) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "checkpoints")
	rng := rand.New(rand.NewPCG(1, 2))
	names := []string{"", "a", "b", strings.Repeat("long ", 20_000), strings.Repeat("long ", 20_000) + "!", "\x00\xff"}
	parts := []string{"kafka:events/0", "kafka:events/1", "file"}
	want := map[string]map[string]string{}
	heads := map[string]string{}
	s := openIn(t, path, share)
	rounds := exhaustive.Or(100, 300)
	if share > 0 {
		rounds = exhaustive.Or(40, 300)
	}
	for n := range rounds {
		if rng.IntN(20) == 0 {
			if err := s.Close(); err != nil {
				t.Fatalf("close: %v", err)
			}
			s = openIn(t, path, share)
		}
		part := parts[rng.IntN(len(parts))]
		c := checkpoint.Change{Head: fmt.Append(nil, n), Whole: rng.IntN(10) == 0}
		var list []checkpoint.Stream
		if want[part] == nil || c.Whole {
			want[part] = map[string]string{}
		}
		for _, name := range names {
			switch rng.IntN(5) {
			case 0:
				if !c.Whole {
					list = append(list, checkpoint.Stream{Name: name})
					delete(want[part], name)
				}
			case 1, 2:
				state := strings.Repeat(fmt.Sprint(n, name), rng.IntN(30))
				if len(state) > 1<<16 {
					state = state[:1<<16]
				}
				list = append(list, stream(name, state))
				want[part][name] = state
			}
		}
		c.Streams = slices.Values(list)
		heads[part] = string(c.Head)
		save(t, goesOn(t, s, part), &c)
		for _, part := range parts {
			if want[part] != nil {
				expect(t, partOf(t, s, part), heads[part], want[part])
			}
		}
	}
}

func TestNothingSaved(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "checkpoints"))
	if got, err := load(partOf(t, s, "a")); got != nil || err != nil {
		t.Errorf("got %v, error %v; want nothing", got, err)
	}
	p := goesOn(t, s, "a")
	save(t, p, &checkpoint.Change{})
	expect(t, p, "", nil)
}

// A save that is given up leaves the last checkpoint, and asks for all streams:
// who saves does not know any more which of them are new.
func TestSaveIsGivenUp(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "checkpoints"))
	p := goesOn(t, s, "a")
	save(t, p, &checkpoint.Change{Head: []byte("1"), Streams: slices.Values([]checkpoint.Stream{stream("x", "1"), stream("y", "1")})})
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Save(over, &checkpoint.Change{Head: []byte("2"), Streams: slices.Values([]checkpoint.Stream{stream("x", "2")})}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	expect(t, p, "1", map[string]string{"x": "1", "y": "1"})
	if !p.Whole() {
		t.Error("the next may be of some streams")
	}
	if err := p.Save(t.Context(), &checkpoint.Change{Head: []byte("3")}); err == nil {
		t.Error("and it was taken")
	}
	save(t, p, &checkpoint.Change{Head: []byte("3"), Streams: slices.Values([]checkpoint.Stream{stream("x", "3")}), Whole: true})
	expect(t, p, "3", map[string]string{"x": "3"})
	if p.Whole() {
		t.Error("after one that succeeded, the next must be of all streams")
	}
	stop := errors.New("stop")
	if _, err := p.Load(t.Context(), func([]byte) error { return nil }, func(string, []byte) error { return stop }); err != stop {
		t.Errorf("load: got %v", err)
	}
	if _, err := p.Load(over, func([]byte) error { return nil }, func(string, []byte) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("load: got %v", err)
	}
}

// An owner that has not read what there is begins again: nothing of it stays.
func TestBeginsAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkpoints")
	s := openAt(t, path)
	save(t, partOf(t, s, "p"), &checkpoint.Change{Head: []byte("old"), Streams: slices.Values([]checkpoint.Stream{stream("a", "1"), stream("b", "1")}), Whole: true})
	fresh := partOf(t, s, "p")
	save(t, fresh, &checkpoint.Change{Head: []byte("new"), Streams: slices.Values([]checkpoint.Stream{stream("b", "2")}), Whole: fresh.Whole()})
	if fresh.Whole() {
		t.Error("each checkpoint is of all streams")
	}
	next := partOf(t, s, "p")
	expect(t, next, "new", map[string]string{"b": "2"})
	if next.Whole() {
		t.Error("who goes on saves all streams")
	}
}

// The file is one monitor's at a time.
func TestLocked(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "checkpoints")
	s := openAt(t, path)
	if _, err := Open(path, Options{}); err == nil || !strings.Contains(err.Error(), "another monitor uses the checkpoints in "+path) {
		t.Errorf("got %v", err)
	}
	s.Close()
	openAt(t, path)
}

func TestWrongFiles(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other")
	later := filepath.Join(dir, "later")
	second := filepath.Join(dir, "second")
	first := filepath.Join(dir, "first")
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte(strings.Repeat("no checkpoints\n", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	openAt(t, later).Close()
	for path, change := range map[string]func(*bbolt.Tx) error{
		other: func(tx *bbolt.Tx) error { _, err := tx.CreateBucket([]byte("x")); return err },
		later: func(tx *bbolt.Tx) error {
			return tx.Bucket(fileBucket).Put(versionKey, checkpoint.Seal(placeOf(nil, versionKey), append(room(2), "77"...)))
		},
		second: func(tx *bbolt.Tx) error { // as that one wrote it
			b, err := tx.CreateBucket(fileBucket)
			if err != nil {
				return err
			}
			return b.Put(versionKey, []byte("\x9d\x24\xfc\xf22"))
		},
		first: func(tx *bbolt.Tx) error {
			b, err := tx.CreateBucket(fileBucket)
			if err != nil {
				return err
			}
			return b.Put(versionKey, []byte("1"))
		},
	} {
		db, err := bbolt.Open(path, 0o600, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Update(change); err != nil {
			t.Fatal(err)
		}
		db.Close()
	}
	for path, want := range map[string]string{
		other:                            "is not a checkpoint file, but one of another program",
		later:                            `have version "77", and this tracecheck reads version "3": use the one that wrote them, or use --start-over`,
		second:                           `have version "2", and this tracecheck reads version "3": use the one that wrote them, or use --start-over`,
		first:                            `have version "1", and this tracecheck reads version "3": use the one that wrote them, or use --start-over`,
		text:                             "is not a checkpoint file, but text: name another",
		dir:                              "is a directory",
		filepath.Join(dir, "none", "it"): "no such file or directory",
	} {
		if _, err := Open(path, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", path, err, want)
		}
	}
	// Who starts over has them under another name.
	for _, path := range []string{later, second, first} {
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Open(path, Options{StartOver: true})
		if err != nil {
			t.Fatalf("%s: started over: %v", path, err)
		}
		save(t, partOf(t, s, "a"), &checkpoint.Change{Head: []byte("1"), Whole: true})
		s.Close()
		expect(t, partOf(t, openAt(t, path), "a"), "1", nil)
		if kept, err := os.ReadFile(path + damagedSuffix); err != nil || !bytes.Equal(kept, before) {
			t.Errorf("%s: what was there is not kept: %v", path, err)
		}
	}
	for _, path := range []string{other, text} {
		if _, err := Open(path, Options{StartOver: true}); err == nil {
			t.Errorf("%s, which is no file of ours, is set aside", path)
		}
		if _, err := os.Stat(path + OtherSuffix); err == nil {
			t.Errorf("a file is left beside %s, which is no file of ours", path)
		}
	}
	// Beside a file of ours it is a damaged one.
	s := openAt(t, filepath.Join(dir, "ours"))
	save(t, goesOn(t, s, "a"), &checkpoint.Change{Head: []byte("1")})
	s.Close()
	if err := os.Rename(other, filepath.Join(dir, "ours"+OtherSuffix)); err != nil {
		t.Fatal(err)
	}
	expect(t, partOf(t, openAt(t, filepath.Join(dir, "ours")), "a"), "1", nil)
}

// The file does not grow while the same streams are written again and again,
// and shrinks when they have.
func TestGrowth(t *testing.T) {
	for _, share := range []int{0, 64 << 10} {
		t.Run(fmt.Sprint(share), func(t *testing.T) { growth(t, share) })
	}
}

func growth(t *testing.T, share int) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "checkpoints")
	const from = 1 << 20
	s, err := Open(path, Options{limit: limit{from, defaultLimit.free}, noSync: true, share: share})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p := goesOn(t, s, "a")
	rng := rand.New(rand.NewPCG(7, 8))
	streams, rounds := exhaustive.Or(300, 2000), exhaustive.Or(25, 50)
	size := func() int64 {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	write := func(mean int, part float64) (live int64) {
		c := checkpoint.Change{Head: []byte("head")}
		var list []checkpoint.Stream
		for i := range streams {
			if rng.Float64() < part {
				state := make([]byte, mean/2+rng.IntN(mean))
				live += int64(len(state))
				list = append(list, checkpoint.Stream{Name: fmt.Sprint("stream-", i), State: state})
			}
		}
		c.Streams = slices.Values(list)
		save(t, p, &c)
		return live
	}
	live := write(4000, 1)
	var early, most int64
	for n := range rounds {
		write(4000, 1)
		write(4000, 0.3)
		if n < rounds/5 {
			early = max(early, size())
		}
		most = max(most, size())
	}
	t.Logf("%d bytes are live; the file has %d after a fifth of the rounds, at most %d", live, early, most)
	if most > 5*live || most > early*5/4 {
		t.Error("the file grows")
	}
	live = write(40, 1)
	write(40, 1)
	write(40, 1)
	if got := size(); got > max(from, 8*live) {
		t.Errorf("%d bytes are live, and the file has %d", live, got)
	}
	got, err := load(p)
	if err != nil || len(got.streams) != streams {
		t.Errorf("after compaction: %v, error %v", got, err)
	}
	// It is still locked, and what is saved then is kept.
	if _, err := Open(path, Options{}); err == nil {
		t.Error("the compacted file is not locked")
	}
	save(t, p, &checkpoint.Change{Head: []byte("last"), Whole: true})
	s.Close()
	expect(t, partOf(t, openAt(t, path), "a"), "last", nil)
}
