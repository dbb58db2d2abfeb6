package local

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/monitor/checkpoint"
)

// One bit that flips in a part's name gives no other part its checkpoint.
func TestNameFlips(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkpoints")
	s := openAt(t, path)
	save(t, partOf(t, s, "kafka:events/0"), &checkpoint.Change{Head: []byte("offset 42"), Streams: slices.Values([]checkpoint.Stream{stream("x", "1")}), Whole: true})
	s.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	name, flips := []byte("kafka:events/0"), 0
	for from := 0; ; {
		i := bytes.Index(whole[from:], name)
		if i < 0 {
			break
		}
		from += i + len(name)
		data := slices.Clone(whole)
		data[from-1] ^= 1
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		flips++
		s, err := Open(path, Options{})
		if err != nil {
			continue
		}
		for _, part := range []string{"kafka:events/1", "kafka:events/0"} {
			p := partOf(t, s, part)
			got, err := load(p)
			switch {
			case err != nil:
			case got == nil && part == "kafka:events/1": // it never had one
			case got == nil: // it falls back to what there was before the first
				if p.Damage() == nil {
					t.Errorf("the checkpoint of %s is taken for none", part)
				}
			case part != "kafka:events/0":
				t.Errorf("%s gets the checkpoint of another part: head %q", part, got.head)
			}
		}
		s.Close()
	}
	if flips == 0 {
		t.Error("the test shows nothing")
	}
}

// pairOf makes a pair of files with checkpoints of two parts, and returns what
// each file has, and the checkpoints of each part, in order.
func pairOf(t testing.TB, path string, saves, share int) (files [2][]byte, saved map[string][]*loaded) {
	t.Helper()
	s := openIn(t, path, share)
	saved = map[string][]*loaded{}
	rng := rand.New(rand.NewPCG(3, 4))
	for _, name := range []string{"kafka:events/0", "kafka:events/1"} {
		p := goesOn(t, s, name)
		streams := map[string]string{}
		for n := range saves {
			c := checkpoint.Change{Head: fmt.Append(nil, name, " ", n)}
			var list []checkpoint.Stream
			for i := range 40 {
				if n > 0 && rng.IntN(3) > 0 {
					continue
				}
				stream, state := fmt.Sprint("s", i), strings.Repeat(fmt.Sprint(n, i), 1+rng.IntN(500))
				if rng.IntN(8) == 0 {
					list = append(list, checkpoint.Stream{Name: stream})
					delete(streams, stream)
					continue
				}
				list = append(list, checkpoint.Stream{Name: stream, State: []byte(state)})
				streams[stream] = state
			}
			c.Streams = slices.Values(list)
			save(t, p, &c)
			saved[name] = append(saved[name], &loaded{string(c.Head), maps.Clone(streams)})
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for i, suffix := range []string{"", OtherSuffix} {
		data, err := os.ReadFile(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		files[i] = data
	}
	return files, saved
}

func (l *loaded) equal(other *loaded) bool {
	return l == other || l != nil && other != nil && l.head == other.head && maps.Equal(l.streams, other.streams)
}

func write(t testing.TB, path string, files [2][]byte) {
	t.Helper()
	for i, suffix := range []string{"", OtherSuffix} {
		if err := os.WriteFile(path+suffix, files[i], 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// outcome opens a pair of files that may be damaged, and states what comes of each
// part: "last", "before", "none" or "error". Anything else fails.
func outcome(t testing.TB, path string, files [2][]byte, saved map[string][]*loaded) (said []string) {
	t.Helper()
	write(t, path, files)
	s, err := Open(path, Options{noSync: true})
	if err != nil {
		if !strings.Contains(err.Error(), "--start-over") {
			t.Errorf("the error does not say what to do: %v", err)
		}
		return []string{"error"}
	}
	defer s.Close()
	for name, history := range saved {
		p := partOf(t, s, name)
		got, err := load(p)
		last := history[len(history)-1]
		switch {
		case err != nil:
			if !strings.Contains(err.Error(), "--start-over") {
				t.Errorf("the error does not say what to do: %v", err)
			}
			said = append(said, "error")
			continue
		case got.equal(last):
			said = append(said, "last")
		case p.Damage() == nil:
			t.Errorf("%s: the last checkpoint is passed over, and nothing states so: got %v", name, got)
		case len(history) > 1 && got.equal(history[len(history)-2]):
			said = append(said, "before")
		case len(history) == 1 && got == nil:
			said = append(said, "none")
		default:
			t.Errorf("%s: got %v, which was never saved, or is older than the last but one", name, got)
		}
		// And it goes on from there.
		next := &loaded{"next", map[string]string{"new": "1"}}
		if got != nil {
			maps.Copy(next.streams, got.streams)
			next.streams["new"] = "1"
		}
		for range 3 {
			save(t, p, &checkpoint.Change{Head: []byte("next"), Streams: slices.Values([]checkpoint.Stream{stream("new", "1")}), Whole: p.Whole()})
		}
		if again, err := load(partOf(t, s, name)); err != nil || !again.equal(next) {
			t.Errorf("%s: after it went on: got %v, error %v", name, again, err)
		}
	}
	return said
}

// Whatever becomes of one of the two files, each part has its last checkpoint or
// the one before it; of both, an error at worst.
func TestDamaged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rounds := exhaustive.Or(36, 110)
	for _, saves := range []int{1, 4, 5, 6} {
		share := 0
		if saves > 4 {
			share = littleShare
		}
		files, saved := pairOf(t, filepath.Join(dir, fmt.Sprint("whole", saves)), saves, share)
		rng := rand.New(rand.NewPCG(5, uint64(saves)))
		tell := map[string]int{}
		for n := range rounds {
			hurt := files
			which := n % 3 // 2: both
			for i := range hurt {
				if which == i || which == 2 {
					hurt[i] = spoil(rng, files[i])
				}
			}
			path := filepath.Join(dir, "copy")
			for _, said := range outcome(t, path, hurt, saved) {
				tell[said]++
				if said == "error" && which < 2 {
					t.Errorf("round %d: an error, though one of the files is whole", n)
				}
			}
			if t.Failed() {
				t.Fatalf("of %d saves, round %d", saves, n)
			}
			old, _ := filepath.Glob(path + "*")
			for _, name := range old {
				os.Remove(name)
			}
		}
		t.Log(saves, tell)
		if tell["last"] == 0 || tell["error"] == 0 || tell["before"]+tell["none"] == 0 {
			t.Errorf("the test shows nothing: %v", tell)
		}
	}
}

// spoil damages a copy of a file.
func spoil(rng *rand.Rand, data []byte) []byte {
	data = slices.Clone(data)
	switch rng.IntN(4) {
	case 0:
		return data[:rng.IntN(len(data))]
	case 1:
		at := rng.IntN(len(data) - 100)
		for i := range 100 {
			data[at+i] = byte(rng.Int())
		}
	case 2: // a page is that of another place
		const page = 4096
		from, to := rng.IntN(len(data)/page)*page, rng.IntN(len(data)/page)*page
		copy(data[to:to+page], slices.Clone(data[from:from+page]))
	default:
		for range 1 + rng.IntN(8) {
			data[rng.IntN(len(data))] ^= 1 << rng.IntN(8)
		}
	}
	return data
}
