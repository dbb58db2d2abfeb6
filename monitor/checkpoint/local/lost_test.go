package local

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tracecheck/monitor/checkpoint"
)

// The sizes of what a disk writes at once, and of what bbolt does.
const (
	sector   = 512
	pageSize = 4096
)

// What a machine has not synced may be lost when it loses its power: any part of
// it, in any order. bbolt writes the pages of a transaction, syncs, writes one of
// the two first pages, and syncs again before Save returns. So each state that the
// disk may be in is what was there before a Save, with any sectors of the one or
// with all of the one and any of the other. From each of them the checkpoint
// before that Save is loaded, or the one that it made, and nothing is damaged.
func TestLostWrites(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "checkpoints")
	s, err := Open(path, Options{}) // with syncs
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i := range s.halves {
		if s.halves[i].db.NoSync || s.halves[i].db.NoGrowSync || s.halves[i].db.Info().PageSize != pageSize {
			t.Fatal("the files are not written as this test assumes")
		}
	}
	rng := rand.New(rand.NewPCG(21, 1))
	names := []string{"a", "b"}
	parts := map[string]checkpoint.Part{}
	saved := map[string]*loaded{} // the last
	for _, name := range names {
		parts[name] = goesOn(t, s, name)
	}
	tell := map[string]int{}
	for n := range 16 {
		name := names[rng.IntN(len(names))]
		next := &loaded{head: fmt.Sprint(name, n), streams: map[string]string{}}
		c := checkpoint.Change{Head: []byte(next.head)}
		if last := saved[name]; last != nil {
			maps.Copy(next.streams, last.streams)
		}
		for i := range killedStreams {
			if rng.IntN(3) == 0 {
				c.Streams = append(c.Streams, stream(fmt.Sprint(i), state(i, n)))
				next.streams[fmt.Sprint(i)] = state(i, n)
			}
		}
		before := images(t, path)
		save(t, parts[name], &c)
		after := images(t, path)
		at := 0
		if slices.Equal(before[0], after[0]) {
			at = 1
		}
		if !slices.Equal(before[1-at], after[1-at]) || firstsOf(after[at])-firstsOf(before[at]) != 1 {
			t.Fatal("a checkpoint is not one transaction in one file")
		}
		for range 12 {
			disk := before
			disk[at] = powerCut(rng, before[at], after[at])
			got := onDisk(t, filepath.Join(dir, "disk"), disk, names)
			for _, one := range names {
				switch {
				case got[one].equal(saved[one]):
					tell["before"]++
				case one == name && got[one].equal(next):
					tell["made"]++
				default:
					t.Fatalf("save %d: %s: got %v, want %v or what was being saved, %v", n, one, got[one], saved[one], next)
				}
			}
		}
		if got := onDisk(t, filepath.Join(dir, "disk"), after, names); !got[name].equal(next) {
			t.Fatalf("save %d: %s: got %v, which is not what was acknowledged", n, name, got[name])
		}
		saved[name] = next
	}
	t.Log(tell)
	if tell["before"] == 0 || tell["made"] == 0 {
		t.Error("the test shows nothing")
	}
}

func images(t *testing.T, path string) (both [2][]byte) {
	t.Helper()
	for i, suffix := range []string{"", OtherSuffix} {
		data, err := os.ReadFile(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		both[i] = data
	}
	return both
}

// firstsOf is the number of a file's last transaction.
func firstsOf(data []byte) uint64 {
	a, _ := readMeta(data)
	b, _ := readMeta(data[pageSize:])
	return max(a.txid, b.txid)
}

// powerCut is a file that was being written from one state to the other.
func powerCut(rng *rand.Rand, before, after []byte) []byte {
	disk := slices.Clone(before)
	if len(after) > len(before) && rng.IntN(2) == 0 { // it has grown
		disk = append(disk, make([]byte, len(after)-len(before))...)
	}
	pagesSynced := rng.IntN(2) == 0
	if pagesSynced {
		disk = append(disk, after[min(len(disk), len(after)):]...)
	}
	share := rng.Float64()
	for from := 0; from+sector <= min(len(disk), len(after)); from += sector {
		first := from < 2*pageSize
		lands := rng.Float64() < share
		if first && pagesSynced && lands || !first && (pagesSynced || lands) {
			copy(disk[from:from+sector], after[from:from+sector])
		}
	}
	return disk
}

// onDisk is what the files have of each part.
func onDisk(t *testing.T, path string, files [2][]byte, names []string) map[string]*loaded {
	t.Helper()
	write(t, path, files)
	s, err := Open(path, Options{noSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got := map[string]*loaded{}
	for _, name := range names {
		p := partOf(t, s, name)
		one, err := load(p)
		if err != nil || p.Damage() != nil {
			t.Fatalf("%s: error %v, damage %v", name, err, p.Damage())
		}
		got[name] = one
	}
	return got
}
