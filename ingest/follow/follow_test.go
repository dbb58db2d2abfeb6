package follow

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"tracecheck/ingest"
	"tracecheck/trace"
)

func TestGrows(t *testing.T) {
	t.Parallel()
	d := newDisk(t)
	d.add(logName, "\uFEFF"+node("a")+"\n  \n"+node("b"))
	f := d.follow()
	f.wait("4 b")
	d.add(logName, strings.TrimSuffix(node("c"), "\n")+"\r\n"+node("d")[:9])
	f.wait("5 c")
	d.add(logName, node("d")[9:])
	f.wait("6 d")
	f.want("1 a", "4 b", "5 c", "6 d")
}

// The system reports changes, where it can: the file is not looked at here.
func TestWakesUp(t *testing.T) {
	t.Parallel()
	d := newDisk(t)
	file, err := Open(d.path(logName), Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := file.watch()
	defer w.close()
	if w.inner == nil || w.inner.Add(d.dir) != nil {
		t.Skip("this system does not tell of changes")
	}
	f := d.follow(func(o *Options) { o.pace.poll = time.Hour })
	f.until("", func() bool { return true })
	time.Sleep(50 * time.Millisecond) // it most likely waits already, and must be right if not
	for i := range 3 {
		d.add(logName, node(fmt.Sprint("a", i)))
		f.wait(fmt.Sprint(i+1, " a", i))
	}
}

func TestNotThereYet(t *testing.T) {
	t.Parallel()
	d := newDisk(t)
	inner := filepath.Join(d.dir, "a", "b")
	f := d.follow(func(*Options) {})
	f.end()
	f.path = filepath.Join(inner, logName)
	f.start()
	d.must(os.MkdirAll(inner, 0o700))
	(&disk{t, inner}).add(logName, node("a"))
	f.wait("1 a")
}

func TestBadLines(t *testing.T) {
	t.Parallel()
	d := newDisk(t)
	f := d.follow()
	d.add(logName, node("a")+"nonsense\n"+node("b")+
		`{"stream":"x","kind":"nod"}`+"\n"+`{"kind":"node"}`+"\n"+`{"stream":1,"kind":"node"}`+"\n"+`[]`+"\n"+
		`{"kind":"node","op":"create","id":"e"}`+"\n")
	f.wait("8 e")
	f.want("1 a", "bad 2: the line is not JSON…", "3 b", "bad 4: unknown kind…", `bad 5: the node line has no "op"…`,
		"bad 6: …", "bad 7: an event is a JSON object…", "8 e")
}

func TestBadSaysWhose(t *testing.T) {
	t.Parallel()
	d := newDisk(t)
	d.add(logName, `{"stream":"x","kind":"nod"}`+"\n"+`{"kind":"node"}`+"\n"+`{"stream":null,"kind":1}`+"\n"+`{"stream":1,"kind":"node"}`+"\n"+"[]\n{\n"+
		`{"stream":"\ud800","kind":"node","op":"delete","id":"n"}`+"\n"+`{"id":"\ud800","kind":"node","op":"delete","stream":"x"}`+"\n")
	file, err := Open(d.path(logName), Options{pace: quick})
	if err != nil {
		t.Fatal(err)
	}
	enough := errors.New("enough")
	err = file.Follow(t.Context(), "", func(b *Batch) error {
		if len(b.Bad) == 0 {
			return nil
		}
		var got []string
		for _, bad := range b.Bad {
			got = append(got, fmt.Sprintf("%q %s", bad.Streams, bad.Raw))
		}
		want := `["x"] {"stream":"x","kind":"nod"}|[""] {"kind":"node"}|[""] {"stream":null,"kind":1}|[] {"stream":1,"kind":"node"}|[] []|[] {` +
			`|[] {"stream":"\ud800","kind":"node","op":"delete","id":"n"}|["x"] {"id":"\ud800","kind":"node","op":"delete","stream":"x"}`
		if strings.Join(got, "|") != want {
			t.Errorf("got %q\nwant %q", strings.Join(got, "|"), want)
		}
		return enough
	})
	if err != enough {
		t.Errorf("got %v, want the error of who takes", err)
	}
}

// Many bad lines are several batches, and lose nothing.
func TestManyBadLines(t *testing.T) {
	t.Parallel()
	d := newDisk(t)
	const n = 2*maxBad + 10
	d.add(logName, strings.Repeat("x\n", n)+node("a"))
	f := d.follow()
	f.wait(fmt.Sprint(n+1, " a"))
	if len(f.got) != n+1 {
		t.Errorf("%d entries, want %d", len(f.got), n+1)
	}
	if len(f.saved) < 3 {
		t.Errorf("%d batches, want 3 or more", len(f.saved))
	}
}

// A line that is too long is skipped, whether it comes at once or not, and
// however long it is; one that is just as long as allowed is not.
func TestLongLines(t *testing.T) {
	t.Parallel()
	const most = 200_000
	fits := func(id string, n int) string { // n bytes without the end
		line := strings.TrimSuffix(node(id), "\n")
		return line[:1] + strings.Repeat(" ", n-len(line)) + line[1:] + "\n"
	}
	d := newDisk(t)
	f := d.follow(func(o *Options) { o.MaxLine = most })
	d.add(logName, fits("a", most)+fits("b", most+1)+fits("c", most)+strings.Repeat("x", 3_000_000))
	f.wait("3 c")
	d.add(logName, strings.Repeat("y", 5_000_000))
	d.add(logName, "\n"+node("e"))
	f.wait("5 e")
	f.want("1 a", "bad 2: the line is longer than 200000 bytes…", "3 c", "bad 4: the line is longer…", "5 e")
	f.end()
	d.add(logName, node("f"))
	f.start()
	f.wait("6 f")
}

// However long a line is, it costs no more memory than a longest one.
func TestLongLineCostsLittle(t *testing.T) {
	const size, limit = 64 << 20, 1 << 20
	d := newDisk(t)
	d.add(logName, strings.Repeat("x", size)+"\n"+node("a"))
	var m0, m1 runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m0)
	f := d.follow(func(o *Options) { o.MaxLine = limit })
	f.wait("2 a")
	runtime.ReadMemStats(&m1)
	// Doubling a buffer up to the limit allocates twice the limit in all; what
	// is compared before each read comes to little.
	if used := m1.TotalAlloc - m0.TotalAlloc; used > 2*limit+16*blockSize {
		t.Errorf("%d bytes were allocated for a line of %d, with a limit of %d", used, size, limit)
	}
}

// One that is stopped within such a line goes on there.
func TestStoppedInALongLine(t *testing.T) {
	t.Parallel()
	d := newDisk(t)
	f := d.follow(func(o *Options) { o.MaxLine = 100_000 })
	d.add(logName, node("a")+strings.Repeat("x", 1_000_000))
	f.wait("1 a")
	f.end()
	d.add(logName, "x\n"+node("b"))
	f.start()
	f.wait("3 b")
	f.want("1 a", "bad 2: …", "3 b")
}

// byLetter makes an event of each letter of a line; the letter x cannot be read.
type byLetter struct {
	inner trace.Decoder
	lines int
}

func (l *byLetter) Reset() { l.lines = 0; l.inner.Reset() }

func (l *byLetter) Decode(events []trace.Event, line []byte, pos trace.Pos) ([]trace.Event, error) {
	l.lines++
	for _, c := range string(line) {
		if c == 'x' {
			return events, &trace.Error{Pos: pos, Reason: "an x"}
		}
		events = append(events, trace.Event{})
		if err := l.inner.Decode([]byte(strings.TrimSpace(node(string(c)))), pos, &events[len(events)-1]); err != nil {
			return events, err
		}
	}
	return events, nil
}

// Streams are named for a line that has a digit.
func (l *byLetter) Streams(line []byte) ([]string, bool) {
	if i := strings.IndexAny(string(line), "0123456789"); i >= 0 {
		return []string{string(line[i])}, true
	}
	return nil, false
}

func TestForeignLines(t *testing.T) {
	t.Parallel()
	d := newDisk(t)
	d.add(logName, "ab\n\nax\nc\n")
	f := d.follow(func(o *Options) { o.Lines = func() ingest.LineDecoder { return &byLetter{} } })
	f.wait("4 c")
	f.want("1 a", "1 b", "bad 3: an x", "4 c")
	d.add(logName, "x3\nd\n")
	f.wait("6 d")
	f.mu.Lock()
	defer f.mu.Unlock()
	if got := fmt.Sprintf("%q", f.bad); got != `[[] ["3"]]` {
		t.Errorf("the bad lines are of %s", got)
	}
	for _, l := range f.lines {
		if _, ok := l.(*byLetter); !ok {
			t.Errorf("a batch has the lines of %T", l)
		}
	}
}

func TestLag(t *testing.T) {
	t.Parallel()
	d := newDisk(t)
	d.add(logName, node("a")+"{")
	f := d.follow()
	f.wait("1 a")
	f.until("the lag is that of the line without an end", func() bool { return f.lag == 1 })
	f.hold.Lock()
	const n = 50_000 // more than is read ahead
	d.add(logName, "}\n"+strings.Repeat(node("b"), n))
	size := int64(len(node("b")) * n)
	f.hold.Unlock()
	f.until("nothing is behind", func() bool { return f.lag == 0 })
	if !slices.ContainsFunc(f.saved, func(s save) bool { return s.lag > 1 && s.lag < size }) {
		t.Error("no batch says that something is behind it")
	}
}

func TestWrongPosition(t *testing.T) {
	t.Parallel()
	d := newDisk(t)
	file, err := Open(d.path(logName), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{"x", "{}", `{"line":1,"offset":-1}`, `{"line":1,"offset":0,"tail":"4:a"}`, `{"line":1,"head":"99999:"}`, `{"line":1,"done":[{"tail":"4:a"}]}`} {
		err := file.Follow(t.Context(), from, nil)
		if !errors.Is(err, ErrPosition) || !strings.Contains(err.Error(), logName) {
			t.Errorf("from %s: %v", from, err)
		}
	}
}

func TestCannotBeFollowed(t *testing.T) {
	t.Parallel()
	d := newDisk(t)
	d.must(os.Mkdir(d.path(logName), 0o700))
	file, err := Open(d.path(logName), Options{pace: quick})
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Follow(t.Context(), "", nil); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a folder: %v", err)
	}
	d.remove(logName)
	d.add(logName, string(packed(t, ".gz", []byte(node("a")))))
	if err := file.Follow(t.Context(), "", nil); err == nil || !strings.Contains(err.Error(), "compressed") {
		t.Errorf("a compressed file: %v", err)
	}
	if _, err := Open(d.path(logName), Options{MaxLine: -1}); err == nil {
		t.Error("a negative limit is taken")
	}
}

// It ends at once, whichever goroutine takes the batches.
func TestEnds(t *testing.T) {
	t.Parallel()
	d := newDisk(t)
	d.add(logName, strings.Repeat(node("a"), 50_000))
	file, err := Open(d.path(logName), Options{pace: pace{time.Hour, time.Hour, time.Hour}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = file.Follow(ctx, "", func(b *Batch) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
}
