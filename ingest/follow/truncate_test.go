package follow

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// All that was seen was read: nothing is known to be lost.
func TestTruncated(t *testing.T) {
	t.Parallel()
	d := newDisk(t)
	d.add(logName, nodes("a", "b"))
	f := d.follow()
	f.wait("2 b")
	d.truncate(logName, 0)
	d.add(logName, nodes("c"))
	f.wait("1 c")
	// Longer than before at once: its beginning is another one.
	d.truncate(logName, 0)
	d.add(logName, nodes("d", "e", "f"))
	f.wait("3 f")
	f.want("1 a", "2 b", "1 c", "1 d", "2 e", "3 f")
}

// The same beginning again, and longer than before: what comes before the
// place is another line.
func TestTruncatedAndWrittenAlike(t *testing.T) {
	t.Parallel()
	d := newDisk(t)
	head := node(strings.Repeat("x", 2*sumSize))
	d.add(logName, head+node("a"))
	f := d.follow()
	f.wait("2 a")
	f.end()
	d.truncate(logName, 0)
	d.add(logName, head+nodes("b", "c"))
	f.start()
	f.wait("3 c")
	if got := fmt.Sprint(f.got[2:]); !strings.HasPrefix(got, "[missed 3: neither ") || len(f.got) != 6 {
		t.Errorf("got %.300q", got)
	}
}

// What was there and not read yet is known to be lost.
func TestTruncatedUnread(t *testing.T) {
	t.Parallel()
	d := newDisk(t)
	d.add(logName, nodes("a"))
	f := d.follow()
	f.wait("1 a")
	f.hold.Lock()
	asked := f.asks.Load()
	d.add(logName, strings.Repeat(node("b"), 50_000)) // more than is read ahead
	for begin := time.Now(); f.asks.Load() == asked; time.Sleep(time.Millisecond) {
		if time.Since(begin) > patience {
			t.Fatal("nothing of it was read")
		}
	}
	d.truncate(logName, 0)
	d.add(logName, nodes("c"))
	f.hold.Unlock()
	f.wait("1 c")
	if missed := f.got[len(f.got)-2]; !strings.Contains(missed, "truncated before it was read: at least") {
		t.Errorf("got %q before the first line of the new content", missed)
	}
}

// A line without an end is lost with the rest.
func TestTruncatedWithinALine(t *testing.T) {
	t.Parallel()
	d := newDisk(t)
	d.add(logName, node("a")+node("b")[:10])
	f := d.follow()
	f.wait("1 a")
	f.until("the start of a line is seen", func() bool { return f.lag == 10 })
	d.truncate(logName, 0)
	d.add(logName, nodes("c"))
	f.wait("1 c")
	f.want("1 a", "missed 2: the file was truncated before it was read: at least 10 bytes…", "1 c")
}

func TestCutShort(t *testing.T) {
	t.Parallel()
	d := newDisk(t)
	d.add(logName, node("a")+node("b")[:10])
	f := d.follow()
	f.wait("1 a")
	f.until("the start of a line is seen", func() bool { return f.lag == 10 })
	d.truncate(logName, int64(len(node("a"))))
	f.wait("missed 2: ")
	d.add(logName, node("c")+"0123456789")
	f.wait("2 c")
	f.until("the start of a line is seen", func() bool { return f.lag == 10 })
	d.truncate(logName, int64(2*len(node("a")))) // and changed at once
	d.add(logName, node("e"))
	f.wait("3 e")
	f.want("1 a", "missed 2: the end of the file was cut off or changed…", "2 c", "missed 3: …", "3 e")
}

// Copied, then truncated: the copy has what was not read.
func TestCopyTruncate(t *testing.T) {
	t.Parallel()
	for _, live := range []bool{true, false} {
		for _, ext := range []string{"", ".gz"} {
			d := newDisk(t)
			d.add(logName, nodes("a"))
			f := d.follow()
			f.wait("1 a")
			if live {
				f.hold.Lock()
			} else {
				f.end()
			}
			d.add(logName, nodes("b", "c"))
			d.copy(logName, logName+".2")
			d.truncate(logName, 0)
			d.add(logName, nodes("d"))
			if !live { // twice
				d.copy(logName, logName+".1")
				d.truncate(logName, 0)
				d.add(logName, nodes("e"))
			}
			if ext != "" {
				d.pack(logName+".2", ext)
			}
			want := []string{"1 a", "2 b", "3 c", "1 d"}
			if live {
				f.hold.Unlock()
				f.wait("1 d")
			} else {
				f.start()
				f.wait("1 e")
				want = append(want, "1 e")
			}
			f.want(want...)
		}
	}
}

// The copy was made before the last lines, which are lost with the original.
func TestCopyLacksLines(t *testing.T) {
	t.Parallel()
	d := newDisk(t)
	d.add(logName, node("a")+node("b")[:10])
	f := d.follow()
	f.wait("1 a")
	f.until("the start of a line is seen", func() bool { return f.lag == 10 })
	d.add("copy", nodes("a"))
	d.rename("copy", logName+".1")
	d.truncate(logName, 0)
	d.add(logName, nodes("c"))
	f.wait("1 c")
	f.want("1 a", "missed 2: the file was truncated, and its copy …", "1 c")
}

// Copied and truncated more than once since anything was read.
func TestNothingReadOfIt(t *testing.T) {
	t.Parallel()
	for _, live := range []bool{true, false} {
		d := newDisk(t)
		d.add(logName, nodes("a"))
		f := d.follow()
		f.wait("1 a")
		d.copy(logName, logName+".4")
		d.truncate(logName, 0)
		f.until("the position is at the start of the file", func() bool { return strings.Contains(f.from, `"offset":0,`) })
		if live {
			f.hold.Lock()
		} else {
			f.end()
		}
		for i, id := range []string{"b", "c"} {
			d.add(logName, nodes(id))
			d.copy(logName, fmt.Sprint(logName, ".", 3-i))
			d.truncate(logName, 0)
		}
		d.add(logName, nodes("d"))
		d.rename(logName, logName+".1")
		d.add(logName, nodes("e"))
		if live {
			f.hold.Unlock()
		} else {
			d.pack(logName+".3", ".gz")
			f.start()
		}
		f.until("all came", func() bool { return len(f.got) == 5 })
		f.want("1 a", "1 b", "1 c", "1 d", "1 e")
	}
}

// Copied, and truncated only later: it is not read twice.
func TestCopiedNotYetTruncated(t *testing.T) {
	t.Parallel()
	d := newDisk(t)
	d.add(logName, nodes("a"))
	f := d.follow()
	f.wait("1 a")
	f.end()
	d.rename(logName, logName+".2")
	d.add(logName, nodes("b", "c"))
	d.copy(logName, logName+".1")
	f.start()
	f.wait("2 c")
	d.add(logName, nodes("d"))
	f.wait("3 d")
	d.truncate(logName, 0)
	d.add(logName, nodes("e"))
	f.wait("1 e")
	f.want("1 a", "1 b", "2 c", "3 d", "1 e")
}

// A file that is truncated and written to while it is checked was not only cut short.
func TestTruncatedWhileChecked(t *testing.T) {
	t.Parallel()
	d := newDisk(t)
	start, next := node("a"), node("b")[:10]
	for range 500 {
		d.must(os.WriteFile(d.path(logName), []byte(start+next), 0o600))
		s, err := openSource(d.path(logName))
		d.must(err)
		done := make(chan error, 1)
		go func() { done <- os.WriteFile(d.path(logName), []byte(node("c")), 0o600) }() // it truncates first
		for behind := true; behind; {
			var same bool
			same, behind, err = s.still(int64(len(start)), []byte(start), []byte(next))
			if d.must(err); same && !behind {
				t.Fatal("the start of the file is the same, and only its end changed; want another start")
			}
		}
		d.must(<-done)
		s.close()
	}
}
