package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"tracecheck/trace"
)

// node is a line, without its end, whose event has that id.
func node(id string) string {
	return fmt.Sprintf(`{"kind":"node","op":"snapshot","id":%q,"object":{"state":"up"}}`, id)
}

// update is a line of the usual size.
func update(i int) string {
	return fmt.Sprintf(`{"stream":"prod-eu","seq":%d,"time":"2026-11-20T10:00:00.123Z","tx":"%d","kind":"task","op":"update","id":"task%d","actor":"allocator","action":"AllocateTask","object":{"state":"pending","node":"n%d"}}`, i, i, i, i%100)
}

func updates(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		b.WriteString(update(i))
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func write(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// open opens names; stdin may be nil.
func open(t testing.TB, stdin io.Reader, maxLine int, names ...string) *Reader {
	t.Helper()
	r, err := Open(names, Options{MaxLine: maxLine, Stdin: stdin})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// eachBlock calls do with each block, and releases it.
func eachBlock(t testing.TB, r *Reader, do func(*Block)) {
	t.Helper()
	for {
		b, err := r.Next(t.Context())
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		do(b)
		b.Release()
	}
}

// drain reads to the end and returns "line id" of each event, with the file
// where it has a name of its own, and the error, which is nil for io.EOF.
func drain(t testing.TB, r *Reader) ([]string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	var got []string
	for {
		b, err := r.Next(ctx)
		if err != nil {
			if _, again := r.Next(ctx); again != err {
				t.Errorf("Next returned %v, and then %v", err, again)
			}
			if err == io.EOF {
				err = nil
			}
			return got, err
		}
		if len(b.Events) == 0 {
			t.Error("Next returned a block without events")
		}
		for i := range b.Events {
			ev := &b.Events[i]
			at := fmt.Sprint(ev.Pos.Line)
			if ev.Pos.File != stdinName {
				at = filepath.Base(ev.Pos.File) + ":" + at
			}
			got = append(got, at+" "+strings.Clone(ev.ID))
		}
		b.Release()
	}
}

// readString reads s as standard input: at once and, which must be the same,
// byte by byte.
func readString(t testing.TB, s string) ([]string, error) {
	t.Helper()
	got, err := drain(t, open(t, strings.NewReader(s), 0, stdinName))
	got1, err1 := drain(t, open(t, iotest.OneByteReader(strings.NewReader(s)), 0, stdinName))
	if !slices.Equal(got, got1) || fmt.Sprint(err) != fmt.Sprint(err1) {
		t.Errorf("at once: %q, %v; byte by byte: %q, %v", got, err, got1, err1)
	}
	return got, err
}

func wantEvents(t *testing.T, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got events %q, want %q", got, want)
	}
}

// wantUnusable checks for a *trace.Error at file:line that states each of parts.
func wantUnusable(t *testing.T, err error, file string, line int, parts ...string) {
	t.Helper()
	var te *trace.Error
	if !errors.As(err, &te) {
		t.Fatalf("got error %v (%T), want a *trace.Error", err, err)
	}
	if te.Pos != (trace.Pos{File: file, Line: line}) {
		t.Errorf("the error is at %s, want %s:%d", te.Pos, file, line)
	}
	wantText(t, err, parts...)
}

// wantOther checks for an error of I/O or usage that states each of parts.
func wantOther(t *testing.T, err error, parts ...string) {
	t.Helper()
	var te *trace.Error
	if err == nil || errors.As(err, &te) {
		t.Fatalf("got error %v (%T), want one that is no *trace.Error", err, err)
	}
	wantText(t, err, parts...)
}

func wantText(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("the error %q does not say %q", err, p)
		}
	}
}

// noLeak fails if goroutines started since remain when the test ends.
func noLeak(t *testing.T) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		deadline := time.Now().Add(time.Minute)
		for runtime.NumGoroutine() > before {
			if time.Now().After(deadline) {
				buf := make([]byte, 1<<20)
				t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
			}
			time.Sleep(time.Millisecond)
		}
	})
}
