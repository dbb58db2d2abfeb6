package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

func TestLines(t *testing.T) {
	a, b := node("a"), node("b")
	tests := []struct {
		name, input string
		want        []string
	}{
		{"empty", "", nil},
		{"only an end", "\n", nil},
		{"only blank", " \t\r\n\n  ", nil},
		{"one", a + "\n", []string{"1 a"}},
		{"no end", a + "\n" + b, []string{"1 a", "2 b"}},
		{"no end but CR", a + "\r", []string{"1 a"}},
		{"blank lines count", "\n" + a + "\n \t \n\r\n" + b + "\n\n", []string{"2 a", "5 b"}},
		{"CRLF", a + "\r\n" + b + "\r\n", []string{"1 a", "2 b"}},
		{"BOM", "\uFEFF" + a + "\n" + b, []string{"1 a", "2 b"}},
		{"only a BOM", "\uFEFF", nil},
		{"BOM and blank", "\uFEFF\n" + a, []string{"2 a"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := readString(t, test.input)
			if err != nil {
				t.Fatal(err)
			}
			wantEvents(t, got, test.want...)
		})
	}
}

func TestRawHasNoLineEnd(t *testing.T) {
	for _, end := range []string{"", "\n", "\r\n", "\r"} {
		b, err := open(t, strings.NewReader("\uFEFF"+node("a")+end), 0, stdinName).Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if b.Events[0].Raw != node("a") {
			t.Errorf("end %q: Raw is %q", end, b.Events[0].Raw)
		}
	}
}

func TestBadLines(t *testing.T) {
	a, b := node("a"), node("b")
	tests := []struct {
		name, input string
		line        int
		parts       []string
		want        []string
	}{
		{"not JSON", a + "\n\nnonsense\n" + b + "\n", 3, []string{"nonsense"}, []string{"1 a"}},
		{"invalid UTF-8", a + "\n" + node("\xff") + "\n", 2, nil, []string{"1 a"}},
		{"raw invalid UTF-8", a + "\n{\"kind\":\"node\",\"id\":\"\xff\"}\n", 2, []string{"UTF-8"}, []string{"1 a"}},
		{"unknown kind", `{"kind":"nod","op":"create","id":"x"}` + "\n", 1, []string{"nod"}, nil},
		{"BOM in the second line", a + "\n\uFEFF" + b + "\n", 2, nil, []string{"1 a"}},
		{"two BOMs", "\uFEFF\uFEFF" + a + "\n", 1, nil, nil},
		{"half a BOM", "\xef\xbb", 1, []string{"truncated", "UTF-8"}, nil},
		{"truncated", a + "\n" + b[:20], 2, []string{"last line is truncated", "remove"}, []string{"1 a"}},
		{"truncated first", a[:1], 1, []string{"last line is truncated"}, nil},
		{"bad but whole", a + "\n" + `{"kind":"node","op":"snapshot","id":"b","seq":1.5}`, 2, []string{"seq must be an integer, not 1.5"}, []string{"1 a"}},
		{"bad but ended", a + "\n" + b[:20] + "\n", 2, []string{"not JSON"}, []string{"1 a"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.name == "invalid UTF-8" {
				test.input = strings.ReplaceAll(test.input, `\xff`, "\xff")
			}
			noLeak(t)
			got, err := readString(t, test.input)
			wantUnusable(t, err, stdinName, test.line, test.parts...)
			wantEvents(t, got, test.want...)
			if strings.HasPrefix(test.name, "bad but") && strings.Contains(err.Error(), "truncated") {
				t.Errorf("%q: a line with an end, or of whole JSON, is not truncated", err)
			}
		})
	}
}

// A bad line far inside: every event before it is delivered, none after it.
func TestBadLineInTheMiddle(t *testing.T) {
	noLeak(t)
	const before = 20_000
	input := bytes.Join([][]byte{updates(before), []byte("{\"kind\":1}\n"), updates(before)}, nil)
	got, err := drain(t, open(t, bytes.NewReader(input), 0, stdinName))
	wantUnusable(t, err, stdinName, before+1, "kind")
	if len(got) != before {
		t.Fatalf("%d events before the bad line, want %d", len(got), before)
	}
	for i, s := range got {
		if want := fmt.Sprintf("%d task%d", i+1, i); s != want {
			t.Fatalf("event %d is %q, want %q", i, s, want)
		}
	}
}

func TestMaxLine(t *testing.T) {
	a := node("a")
	limit := len(a)
	long := a + " " // one byte too many, though white space
	for _, end := range []string{"\n", "\r\n", ""} {
		for _, start := range []string{"", "\uFEFF"} {
			got, err := drain(t, open(t, strings.NewReader(start+a+end), limit, stdinName))
			if err != nil {
				t.Errorf("%q: a line of %d bytes: %v", start+end, limit, err)
			}
			wantEvents(t, got, "1 a")

			input := start + a + "\n" + long + end
			if start != "" {
				input = start + long + end
			}
			got, err = drain(t, open(t, strings.NewReader(input), limit, stdinName))
			if start == "" {
				wantUnusable(t, err, stdinName, 2, "--max-line", fmt.Sprint(limit))
				wantEvents(t, got, "1 a")
			} else {
				wantUnusable(t, err, stdinName, 1, "--max-line")
				wantEvents(t, got)
			}
		}
	}
}

// Lines around the size of a block, and far beyond it, whole and in order.
func TestLongLines(t *testing.T) {
	var input bytes.Buffer
	var want []string
	sizes := []int{1, blockSize - 1, blockSize, blockSize + 1, 10, 2 * blockSize, 3_000_000, 1, DefaultMaxLine, 5}
	for i, size := range sizes {
		line := node(fmt.Sprint("n", i))
		if pad := size - len(line); pad > 0 {
			line = line[:1] + strings.Repeat(" ", pad) + line[1:]
		}
		input.WriteString(line + "\n")
		want = append(want, fmt.Sprintf("%d n%d", i+1, i))
	}
	got, err := drain(t, open(t, &input, 0, stdinName))
	if err != nil {
		t.Fatal(err)
	}
	wantEvents(t, got, want...)
}

// endless is a line without an end, of n bytes.
type endless struct{ n int }

func (e *endless) Read(p []byte) (int, error) {
	if e.n == 0 {
		return 0, io.EOF
	}
	p = p[:min(len(p), e.n)]
	for i := range p {
		p[i] = 'x'
	}
	e.n -= len(p)
	return len(p), nil
}

func TestTooLongLineCostsLittle(t *testing.T) {
	const size, limit = 100 << 20, 4 << 20
	src := &endless{size}
	input := io.MultiReader(strings.NewReader(node("a")+"\n"), src)
	var m0, m1 runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m0)
	got, err := drain(t, open(t, input, limit, stdinName))
	runtime.ReadMemStats(&m1)
	wantUnusable(t, err, stdinName, 2, "--max-line", fmt.Sprint(limit))
	wantEvents(t, got, "1 a")
	if read := size - src.n; read > limit+2*blockSize {
		t.Errorf("%d bytes of the line were read, with a limit of %d", read, limit)
	}
	// Doubling a buffer up to the limit allocates twice the limit in all.
	if used := m1.TotalAlloc - m0.TotalAlloc; used > 2*limit+8*blockSize {
		t.Errorf("%d bytes were allocated, with a limit of %d", used, limit)
	}
}

var errDisk = errors.New("disk on fire")

func TestInputFails(t *testing.T) {
	for _, bad := range []error{errDisk, io.ErrUnexpectedEOF} {
		for _, pack := range []func(*testing.T, []byte) []byte{asIs, gzipBytes, zstdBytes} {
			packed := pack(t, []byte(node("a")+"\n"))
			input := io.MultiReader(bytes.NewReader(packed), failing{bad})
			got, err := drain(t, open(t, input, 0, stdinName))
			wantOther(t, err, "-:2", bad.Error())
			if !errors.Is(err, bad) {
				t.Errorf("%v does not wrap its cause", err)
			}
			wantEvents(t, got, "1 a")
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestNoProgress(t *testing.T) {
	for _, pack := range []func(*testing.T, []byte) []byte{asIs, gzipBytes, zstdBytes} {
		input := io.MultiReader(bytes.NewReader(pack(t, []byte(node("a")+"\n"))), failing{nil})
		got, err := drain(t, open(t, input, 0, stdinName))
		wantOther(t, err, "-:2", io.ErrNoProgress.Error())
		wantEvents(t, got, "1 a")
	}
}
