package ingest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"tracecheck/ingest/foreign"
	"tracecheck/trace"
)

// chunks returns data in reads of random sizes, some of them empty, and its
// end with the last of them or after it.
type chunks struct {
	data []byte
	rand *rand.Rand
}

func (c *chunks) Read(p []byte) (int, error) {
	n := min(c.rand.IntN(40), len(p), len(c.data))
	copy(p, c.data[:n])
	c.data = c.data[n:]
	if len(c.data) == 0 && (n == 0 || c.rand.IntN(2) == 0) {
		return n, io.EOF
	}
	return n, nil
}

const truncatedPrefix = "the last line is truncated ("

// naive reads data in the simplest way.
func naive(data string, maxLine int) (events []trace.Event, bad *trace.Error) {
	lines := strings.Split(strings.TrimPrefix(data, "\uFEFF"), "\n")
	for i, line := range lines {
		pos := trace.Pos{File: stdinName, Line: i + 1}
		line = strings.TrimSuffix(line, "\r")
		if len(line) > maxLine {
			return events, &trace.Error{Pos: pos, Reason: "--max-line"}
		}
		if strings.Trim(line, " \t\r") == "" {
			continue
		}
		var ev trace.Event
		if err := new(trace.Decoder).Decode([]byte(line), pos, &ev); err != nil {
			if errors.As(err, &bad); i == len(lines)-1 && !json.Valid([]byte(line)) {
				bad.Reason = truncatedPrefix + bad.Reason
			}
			return events, bad
		}
		events = append(events, ev)
	}
	return events, nil
}

func FuzzReader(f *testing.F) {
	a, b := node("a"), update(1)
	for _, s := range []string{
		"", "\n", "A", a, a + "\n", a + "\r\n" + b + "\r\n", "\uFEFF" + a + "\n\n \t\n" + b,
		a + "\n" + b[:40], a + "\nnonsense\n" + b, a + "\n" + strings.Repeat("x", 700) + "\n" + b,
		strings.Repeat(a+"\n", 50), "\xef\xbb", "\x1f\x8b", "\x28\xb5\x2f\xfd", a + "\n{\"kind\":\"node\",\"id\":\"\xff\"}\n",
		`{"knd":"node","op":"snapshot","id":"n1"}`,
		"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x00\x00\x00\xff\xff\x01\x00\x00\xff\xff\x00\x00\x00\x00\x00\x00\x00\x00",
	} {
		f.Add([]byte(s), uint64(1), uint16(600))
		f.Add([]byte(s), uint64(2), uint16(len(a)))
	}
	for seed := range uint64(4) { // the start of the line is binary, all of it is not
		f.Add([]byte("\x01\x02\x03"+strings.Repeat("x", 400)), seed, uint16(16))
		f.Add([]byte("\uFEFF\x01\x02\x03"+strings.Repeat("x", 400)), seed, uint16(16))
	}
	f.Fuzz(func(t *testing.T, data []byte, seed uint64, limit uint16) {
		maxLine := int(limit) + 1
		r := open(t, &chunks{data, rand.New(rand.NewPCG(seed, 0))}, maxLine, stdinName)
		defer r.Close()
		var got []trace.Event
		var gotErr error
		for {
			b, err := r.Next(t.Context())
			if err != nil {
				gotErr = err
				break
			}
			got = append(got, b.Events...) // never released: they live on
		}
		var bad *trace.Error
		if gotErr != io.EOF && !errors.As(gotErr, &bad) {
			t.Fatalf("got error %v: the input itself is never at fault", gotErr)
		}
		if bytes.HasPrefix(data, gzipMagic) || bytes.HasPrefix(data, zstdMagic) || len(data) > 3 && skippable(data[:4]) {
			return // that it ends, and without a panic, is all that is asked
		}
		want, wantBad := naive(string(data), maxLine)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got events %v, want %v", got, want)
		}
		if (bad == nil) != (wantBad == nil) {
			t.Fatalf("got error %v, want %v", bad, wantBad)
		}
		if bad == nil {
			return
		}
		// What is not a trace is reported as what it is.
		known := false
		reason := strings.TrimPrefix(wantBad.Reason, truncatedPrefix)
		all, line := rests(string(data), bad.Pos.Line)
		for _, text := range []string{all, line} {
			_, is := foreign.Reason(foreign.Input{Text: []byte(text), File: stdinName, First: len(got) == 0}, reason)
			known = known || is
		}
		if len(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")) > maxLine {
			known = false
			wantBad.Reason, _ = foreign.Long(foreign.Input{Text: []byte(line[:maxLine+1]), File: stdinName}, wantBad.Reason)
		}
		if bad.Pos != wantBad.Pos || bad.Stream != wantBad.Stream || !known && !strings.Contains(bad.Reason, wantBad.Reason) {
			t.Errorf("got error %v, want %v", bad, wantBad)
		}
	})
}

// rests are what may be at hand from the line on: all, or it alone.
func rests(data string, line int) (all, first string) {
	lines := strings.SplitAfter(strings.TrimPrefix(data, "\uFEFF"), "\n")[line-1:]
	return strings.Join(lines, ""), lines[0]
}
