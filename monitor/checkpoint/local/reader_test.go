package local

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"tracecheck/internal/exhaustive"
	"tracecheck/monitor/checkpoint"
)

// readAll is what a Reader has of a part.
func readAll(t *testing.T, r *Reader, part string) *loaded {
	t.Helper()
	both, at := r.Part(part)
	if at < 0 {
		t.Fatalf("%s: %v, %v", part, both[0].Err, both[1].Err)
	}
	l := &loaded{string(both[at].Head), map[string]string{}}
	if err := r.Each(t.Context(), part, func(name string, state []byte) error { l.streams[name] = string(state); return nil }); err != nil {
		t.Fatal(err)
	}
	return l
}

// besideStreams is so many that a checkpoint may well end while a file is copied.
const besideStreams = 300

// A file is read, and backed up, while it is written: each time as it was after
// some checkpoint, no older than the last that had ended, and in order.
func TestReadBeside(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "checkpoints")
	s := openIn(t, path, 64<<10)
	names := []string{"a", "b"}
	ctx, stop := context.WithCancel(t.Context())
	var writing sync.WaitGroup
	var mu sync.Mutex
	done := map[string]int{} // the last that was made
	for _, name := range names {
		p := goesOn(t, s, name)
		writing.Go(func() {
			for n := 1; ctx.Err() == nil; n++ {
				c := checkpoint.Change{Head: fmt.Append(nil, n)}
				var list []checkpoint.Stream
				for i := range besideStreams {
					if n == 1 || (n+i)%3 == 0 {
						list = append(list, stream(fmt.Sprint(i), state(i, n)))
					}
				}
				c.Streams = slices.Values(list)
				time.Sleep(5 * time.Millisecond) // so that now and then a copy is whole
				if err := p.Save(context.Background(), &c); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				done[name] = n
				mu.Unlock()
			}
		})
	}
	defer writing.Wait()
	defer stop()
	rounds := exhaustive.Or(8, 30)
	for round := range rounds {
		mu.Lock()
		least := map[string]int{}
		for name, n := range done {
			least[name] = n
		}
		mu.Unlock()
		r, err := Read(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Files {
			if f.Err != nil {
				t.Errorf("round %d: %v", round, f.Err)
			}
		}
		for _, name := range r.Parts() {
			both, _ := r.Part(name)
			for _, kept := range both {
				if kept.Err != nil {
					t.Errorf("round %d: %v", round, kept.Err)
				}
			}
			got := readAll(t, r, name)
			n, err := strconv.Atoi(got.head)
			if err != nil || n < least[name] {
				t.Errorf("round %d: %s is as of checkpoint %s, and %d had ended", round, name, got.head, least[name])
			}
			for i := range besideStreams {
				last := n
				for last > 1 && (last+i)%3 != 0 {
					last--
				}
				if got.streams[fmt.Sprint(i)] != state(i, last) {
					t.Errorf("round %d: stream %d of checkpoint %d is not as it was saved", round, i, n)
				}
			}
		}
		if round%10 == 0 {
			backup := filepath.Join(dir, fmt.Sprint("backup", round))
			if err := r.Backup(backup); err != nil {
				t.Fatal(err)
			}
			if err := r.Backup(backup); err == nil || !strings.Contains(err.Error(), "already exists") {
				t.Errorf("a second backup to that place: %v", err)
			}
			from, err := Open(backup, Options{noSync: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range r.Parts() {
				p := partOf(t, from, name)
				if got, err := load(p); err != nil || p.Damage() != nil || !got.equal(readAll(t, r, name)) {
					t.Errorf("round %d: the backup of %s: error %v, damage %v", round, name, err, p.Damage())
				}
			}
			from.Close()
		}
		copies := r.dir
		r.Close()
		if _, err := os.Stat(copies); !os.IsNotExist(err) {
			t.Errorf("the copies stay: %v", err)
		}
		if t.Failed() {
			return
		}
	}
}

// A backup in the place of the file counts, whatever the other file has.
func TestBackupReplaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkpoints")
	s := openAt(t, path)
	p := goesOn(t, s, "a")
	save(t, p, &checkpoint.Change{Head: []byte("1")})
	r, err := Read(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Backup(path + "-backup"); err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		save(t, p, &checkpoint.Change{Head: fmt.Append(nil, n+2)})
	}
	s.Close()
	if err := os.Rename(path+"-backup", path); err != nil {
		t.Fatal(err)
	}
	s = openAt(t, path)
	p = partOf(t, s, "a")
	expect(t, p, "1", nil)
	if p.Damage() != nil {
		t.Errorf("it is taken for a damaged one: %v", p.Damage())
	}
	save(t, p, &checkpoint.Change{Head: []byte("2")})
	s.Close()
	expect(t, partOf(t, openAt(t, path), "a"), "2", nil)
}

// What is damaged is reported, and where; what is whole is backed up.
func TestReadDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkpoints")
	if _, err := Read(t.Context(), path); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("of nothing: %v", err)
	}
	files, saved := pairOf(t, path, 5, littleShare)
	cut := files
	cut[1] = files[1][:len(files[1])/2]
	if err := os.WriteFile(path+OtherSuffix, cut[1], 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Read(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.Files[0].Err != nil || r.Files[1].Err == nil || !strings.Contains(r.Files[1].Err.Error(), path+OtherSuffix+" is damaged") {
		t.Errorf("got %v and %v", r.Files[0].Err, r.Files[1].Err)
	}
	for name, history := range saved {
		if got := readAll(t, r, name); !got.equal(history[4]) { // the fifth is in the first file
			t.Errorf("%s: got %v", name, got)
		}
	}
	if err := r.Backup(path + "-backup"); err != nil {
		t.Error(err)
	}
}
