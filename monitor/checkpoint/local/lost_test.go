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
// the two first pages, and syncs again before the next one begins. So each state
// that the disk may be in is what was there before a transaction, with any sectors
// of the one or with all of the one and any of the other. From each of them the
// checkpoint before that Save is loaded, or the one that it made, and nothing is
// damaged. Where the other file is lost besides, the one before that is, until the
// new one counts.
func TestLostWrites(t *testing.T) {
	for _, share := range []int{0, littleShare << 3} {
		t.Run(fmt.Sprint(share), func(t *testing.T) { lostWrites(t, share) })
	}
}

func lostWrites(t *testing.T, share int) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "checkpoints")
	var states [][2][]byte                                                                                  // of the files, after each transaction
	s, err := Open(path, Options{share: share, ended: func() { states = append(states, images(t, path)) }}) // with syncs
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
	saved := map[string][2]*loaded{} // the last, and the one before
	for _, name := range names {
		parts[name] = goesOn(t, s, name)
	}
	tell := map[string]int{}
	for n := range 16 {
		name := names[rng.IntN(len(names))]
		next := &loaded{head: fmt.Sprint(name, n), streams: map[string]string{}}
		c := checkpoint.Change{Head: []byte(next.head)}
		if last := saved[name][0]; last != nil {
			maps.Copy(next.streams, last.streams)
		}
		var list []checkpoint.Stream
		few := 1 + 5*rng.IntN(2) // of so many, one changes
		for i := range killedStreams {
			switch rng.IntN(2 * few) {
			case 0:
				list = append(list, stream(fmt.Sprint(i), state(i, n)))
				next.streams[fmt.Sprint(i)] = state(i, n)
			case 1:
				list = append(list, checkpoint.Stream{Name: fmt.Sprint(i)})
				delete(next.streams, fmt.Sprint(i))
			}
		}
		c.Streams = slices.Values(list)
		states = [][2][]byte{images(t, path)}
		save(t, parts[name], &c)
		made := false
		for i := range states[1:] {
			before, after := states[i], states[i+1]
			at := 0
			if slices.Equal(before[0], after[0]) {
				at = 1
			}
			if !slices.Equal(before[1-at], after[1-at]) || firstsOf(after[at])-firstsOf(before[at]) != 1 {
				t.Fatal("a step of a checkpoint is not one transaction in one file")
			}
			for range max(2, 12/len(states)) {
				disk := before
				disk[at] = powerCut(rng, before[at], after[at])
				got, damage := onDisk(t, filepath.Join(dir, "disk"), disk, names)
				for _, one := range names {
					switch {
					case damage[one] != nil:
						t.Fatalf("save %d: %s: %v", n, one, damage[one])
					case got[one].equal(saved[one][0]) && !(one == name && made):
						tell["before"]++
					case one == name && got[one].equal(next):
						tell["made"]++
					default:
						t.Fatalf("save %d: %s: got %v, want %v or what was being saved, %v", n, one, got[one], saved[one][0], next)
					}
				}
			}
			got, _ := onDisk(t, filepath.Join(dir, "disk"), after, names)
			if last := got[name].equal(next); made && !last {
				t.Fatalf("save %d: %s: what was made is gone", n, name)
			} else if made = last; made || saved[name][1] == nil {
				continue
			}
			alone := after
			alone[1-at] = alone[1-at][:pageSize] // the last is damaged
			got, damage := onDisk(t, filepath.Join(dir, "disk"), alone, names)
			if !got[name].equal(saved[name][1]) || damage[name] == nil {
				t.Fatalf("save %d: %s: got %v, damage %v; want the checkpoint before the last, %v", n, name, got[name], damage[name], saved[name][1])
			}
			tell["the one before the last"]++
		}
		if !made {
			t.Fatalf("save %d: %s: it is not what was acknowledged", n, name)
		}
		tell["transactions"] += len(states) - 1
		saved[name] = [2]*loaded{next, saved[name][0]}
	}
	t.Log(tell)
	if tell["before"] == 0 || tell["made"] == 0 || share > 0 && (tell["the one before the last"] == 0 || tell["transactions"] < 50) {
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

// onDisk is what the files have of each part, and what of it is damaged.
func onDisk(t *testing.T, path string, files [2][]byte, names []string) (got map[string]*loaded, damage map[string]error) {
	t.Helper()
	write(t, path, files)
	s, err := Open(path, Options{noSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got, damage = map[string]*loaded{}, map[string]error{}
	for _, name := range names {
		p := partOf(t, s, name)
		if got[name], err = load(p); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		damage[name] = p.Damage()
	}
	return got, damage
}
