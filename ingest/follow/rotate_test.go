package follow

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// patient gives a writer all the time to notice a rotation.
func patient(o *Options) { o.pace.grace, o.pace.old = time.Hour, time.Hour }

func TestRotation(t *testing.T) {
	t.Parallel()
	d := newDisk(t)
	d.add(logName, nodes("a", "b"))
	f := d.follow()
	f.wait("2 b")
	d.rename(logName, logName+".1")
	d.add(logName, nodes("c"))
	f.wait("1 c")
	f.want("1 a", "2 b", "1 c")
}

// The writer still writes to the old file: before there is a new one, and after.
func TestLateLines(t *testing.T) {
	t.Parallel()
	d := newDisk(t)
	d.add(logName, nodes("a"))
	f := d.follow(patient)
	f.wait("1 a")
	d.rename(logName, logName+".1")
	d.add(logName+".1", nodes("b"))
	f.wait("2 b")
	d.add(logName, nodes("x"))
	d.add(logName+".1", nodes("c"))
	f.wait("3 c")
	d.add(logName+".1", nodes("d"))
	f.wait("4 d")
	f.end()
	f.opts.pace = quick // the writer has noticed
	f.start()
	f.wait("1 x")
	f.want("1 a", "2 b", "3 c", "4 d", "1 x")
}

// The last line of the old file comes after its end was read, and before the new
// file is there.
func TestLateLineBeforeTheNewFile(t *testing.T) {
	t.Parallel()
	d := newDisk(t)
	d.add(logName, nodes("a"))
	file, err := Open(d.path(logName), Options{pace: quick})
	d.must(err)
	r := file.reader(place{})
	defer r.open(nil)
	var got []string
	steps := func(last string) {
		for !slices.Contains(got, last) {
			for len(r.out) > 0 {
				b := <-r.out
				for _, ev := range b.Events {
					got = append(got, strings.Clone(ev.ID))
				}
				r.free <- b
			}
			_, err := r.step(t.Context())
			d.must(err)
		}
	}
	steps("a")
	d.rename(logName, logName+".1")
	d.add(logName+".1", nodes("b"))
	d.add(logName, nodes("c"))
	_, err = r.leave(t.Context())
	d.must(err)
	steps("c")
	if want := []string{"a", "b", "c"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The old file was removed, or renamed to where it is not looked for: it is open.
func TestRotatedAway(t *testing.T) {
	t.Parallel()
	d := newDisk(t)
	f := d.follow()
	f.hold.Lock()
	d.add(logName, nodes("a"))
	time.Sleep(20 * time.Millisecond) // most likely it is open now; if not, the next is as well
	f.hold.Unlock()
	f.wait("1 a")
	d.remove(logName)
	d.add(logName, nodes("b"))
	f.wait("1 b")
	d.rename(logName, "elsewhere")
	d.add("elsewhere", nodes("c"))
	d.add(logName, nodes("d"))
	f.wait("1 d")
	f.want("1 a", "1 b", "2 c", "1 d")
}

// A last line without an end is read when the file is left.
func TestRotatedWithinALine(t *testing.T) {
	t.Parallel()
	d := newDisk(t)
	f := d.follow()
	d.add(logName, node("a")+strings.TrimSpace(node("b")))
	f.wait("1 a")
	d.rename(logName, logName+".1")
	d.add(logName, node("c")+node("d")[:20])
	f.wait("1 c")
	d.rename(logName, logName+".2")
	d.add(logName, node("e"))
	f.wait("1 e")
	f.want("1 a", "2 b", "1 c", "bad 2: the last line of the file is incomplete…", "1 e")
}

// Several rotations between two looks.
func TestRotatedTwice(t *testing.T) {
	t.Parallel()
	for _, ext := range []string{"", ".gz", ".zst"} {
		d := newDisk(t)
		d.add(logName, nodes("a"))
		f := d.follow(func(o *Options) { o.pace.poll = 300 * time.Millisecond })
		f.wait("1 a")
		d.add(logName, nodes("b"))
		d.rename(logName, logName+".2")
		d.add(logName, nodes("c"))
		d.rename(logName, logName+".1")
		if ext != "" {
			d.pack(logName+".2", ext)
			d.pack(logName+".1", ext)
		}
		d.add(logName, nodes("d"))
		f.wait("1 d")
		f.want("1 a", "2 b", "1 c", "1 d")
		f.end()
		d.add(logName, nodes("e"))
		f.start()
		f.wait("2 e")
	}
}

// What was rotated while nobody followed: names as several tools give them.
func TestRotatedMeanwhile(t *testing.T) {
	t.Parallel()
	for _, names := range [][3]string{
		{"events.jsonl.3", "events.jsonl.2", "events.jsonl.1"},
		{"events.jsonl.3.gz", "events.jsonl.2.gz", "events.jsonl.1"},
		{"events.jsonl.3.zst", "events.jsonl.2.gz", "events.jsonl.1.zst"},
		{"events.jsonl-20261120.gz", "events.jsonl-20261121", "events.jsonl-20261122"},
		{"events-2026-11-20T10-00-00.000.jsonl.gz", "events-2026-11-21T10-00-00.000.jsonl.gz", "events-2026-11-22T10-00-00.000.jsonl"},
		{"events.1.jsonl", "events.2.jsonl", "events.3.jsonl"},
	} {
		d := newDisk(t)
		d.add(logName, nodes("a", "b"))
		f := d.follow()
		f.wait("2 b")
		f.end()
		d.add("events.jsonl.idx", "no log")
		d.add("events-other.jsonl", nodes("other"))
		want := []string{"1 a", "2 b"}
		for i, name := range names {
			d.add(logName, nodes(fmt.Sprint("c", i), fmt.Sprint("d", i)))
			first := 1
			if i == 0 {
				first = 3
			}
			want = append(want, fmt.Sprint(first, " c", i), fmt.Sprint(first+1, " d", i))
			if plain, ok := splitName(name); ok {
				d.rename(logName, plain)
				d.pack(plain, strings.TrimPrefix(name, plain))
			} else {
				d.rename(logName, name)
			}
		}
		d.add(logName, nodes("e"))
		f.start()
		f.wait("1 e")
		f.want(append(want, "1 e")...)
	}
}

// Compressed late, without its times, by something that keeps no inode: what is
// read is not read again.
func TestCompressedLate(t *testing.T) {
	t.Parallel()
	d := newDisk(t)
	d.add(logName, nodes("a"))
	f := d.follow()
	f.wait("1 a")
	d.rename(logName, logName+".1")
	d.add(logName, nodes("b"))
	f.wait("1 b")
	f.end()
	d.add(logName, nodes("c"))
	d.rename(logName, logName+".2")
	d.add(logName, nodes("d"))
	for _, name := range []string{logName + ".2", logName + ".1"} { // the wrong order
		d.pack(name, ".gz")
		now := time.Now()
		d.must(os.Chtimes(d.path(name+".gz"), now, now))
	}
	f.start()
	f.wait("1 d")
	f.want("1 a", "1 b", "2 c", "1 d")
}

// Files that begin alike: only what comes before the place tells them apart.
func TestBeginAlike(t *testing.T) {
	t.Parallel()
	d := newDisk(t)
	head := node("meta") + node(strings.Repeat("x", 2*sumSize))
	d.add(logName, head+node("a"))
	f := d.follow()
	f.wait("3 a")
	f.end()
	d.add(logName, node("b"))
	d.rename(logName, logName+".2")
	d.add(logName, head+node("a")[:30])
	d.rename(logName, logName+".1")
	d.add(logName, head+node("c"))
	d.pack(logName+".2", ".gz")
	d.pack(logName+".1", ".gz")
	f.start()
	f.wait("3 c")
	if got := strings.Join(f.got[2:], "|"); !strings.HasPrefix(got, "3 a|4 b|1 meta|2 xxx") || !strings.Contains(got, "|bad 3: ") {
		t.Errorf("got %.300q", got)
	}
}

// The file of the position is gone: that is reported, and what is left is read.
func TestLost(t *testing.T) {
	t.Parallel()
	d := newDisk(t)
	d.add(logName, nodes("a"))
	f := d.follow()
	f.wait("1 a")
	f.end()
	d.add(logName+".9", nodes("old"))
	long := time.Now().Add(-time.Hour)
	d.must(os.Chtimes(d.path(logName+".9"), long, long))
	d.remove(logName)
	d.add(logName, nodes("b"))
	d.rename(logName, logName+".1")
	d.add(logName, nodes("c"))
	f.start()
	f.wait("1 c")
	f.want("1 a", "missed 2: neither …", "1 b", "1 c")
}

// No file at all is no loss: a disk may not be there yet.
func TestNothingThere(t *testing.T) {
	t.Parallel()
	d := newDisk(t)
	d.add(logName, nodes("a"))
	f := d.follow()
	f.wait("1 a")
	f.end()
	d.rename(logName, "older")
	f.start()
	time.Sleep(3 * quick.grace) // it would have been reported by now
	d.add("older", nodes("b"))
	d.rename("older", logName)
	f.wait("2 b")
	f.want("1 a", "2 b")
}

// A compressed file is damaged: what comes before the damage is read, the rest
// is missed, and what follows is read.
func TestDamaged(t *testing.T) {
	t.Parallel()
	for _, keep := range []float64{0.7, 0} {
		d := newDisk(t)
		d.add(logName, nodes("a"))
		f := d.follow()
		f.wait("1 a")
		f.end()
		d.rename(logName, logName+".2")
		long := time.Now().Add(-time.Hour)
		d.must(os.Chtimes(d.path(logName+".2"), long, long))
		var many strings.Builder
		for i := range 5000 {
			many.WriteString(node(fmt.Sprint("b", i)))
		}
		data := packed(t, ".gz", []byte(many.String()))
		d.add(logName+".1.gz", string(data[:3+int(keep*float64(len(data)))]))
		long = time.Now().Add(-30 * time.Minute)
		d.must(os.Chtimes(d.path(logName+".1.gz"), long, long))
		saved := f.from
		f.from = strings.Replace(saved, `"time":`, `"time":1,"was":`, 1) // when it was an hour ago
		d.add(logName, nodes("c"))
		f.start()
		f.wait("1 c")
		n := len(f.got)
		if missed := f.got[n-2]; !strings.HasPrefix(missed, fmt.Sprintf("missed %d: ", n-2)) || !strings.Contains(missed, "gzip") || keep > 0 && n < 1000 {
			t.Errorf("of %d entries the last but one is %q", n, missed)
		}
	}
}

// A file that is followed through a link is rotated where it lies.
func TestLink(t *testing.T) {
	t.Parallel()
	d := newDisk(t)
	d.must(os.Mkdir(d.path("there"), 0o700))
	d.must(os.Symlink(d.path("there/0.log"), d.path(logName)))
	d.add("there/0.log", nodes("a"))
	f := d.follow()
	f.wait("1 a")
	f.end()
	d.add("there/0.log", nodes("b"))
	d.rename("there/0.log", "there/0.log.20261120-100000")
	d.add("there/0.log", nodes("c"))
	f.start()
	f.wait("1 c")
	f.want("1 a", "2 b", "1 c")
}
