package validatorstest

import (
	"bytes"
	"strings"
	"testing"

	"tracecheck/trace"
	"tracecheck/validators"
)

// Machine makes a machine of the spec that has taken the snapshot lines, and returns
// what it finds in them.
func Machine(t testing.TB, spec *validators.Spec, c validators.Config, lines ...string) (validators.Machine, []validators.Finding) {
	t.Helper()
	m, err := spec.New(c)
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) == 0 {
		return m, nil
	}
	for _, ev := range Events(t, lines...) {
		m.Snapshot(&ev)
	}
	return m, m.SnapshotsEnd()
}

// Steps decodes steps whose lines are separated by newlines.
func Steps(t testing.TB, texts ...string) []*trace.Step {
	t.Helper()
	var list []*trace.Step
	for _, text := range texts {
		list = append(list, &trace.Step{Events: Events(t, strings.Split(text, "\n")...)})
	}
	return list
}

// Sequence has the sink see the lines as steps.
func Sequence(t testing.TB, seq trace.Sequencer, sink trace.Sink, lines ...string) {
	t.Helper()
	for _, ev := range Events(t, lines...) {
		if err := seq.Push(&ev, sink); err != nil {
			t.Fatal(err)
		}
	}
	if err := seq.Close(sink); err != nil {
		t.Fatal(err)
	}
}

// Push has the runner judge the lines, one by one, from bytes that are overwritten then:
// nothing borrowed may be kept. Blank lines have a number, too.
func Push[L string | []byte](t testing.TB, r *validators.Runner, lines ...L) {
	t.Helper()
	var d trace.Decoder
	var buffer []byte
	for i, line := range lines {
		buffer = append(buffer[:0], line...)
		text := bytes.TrimSpace(buffer)
		if len(text) == 0 {
			continue
		}
		var ev trace.Event
		if err := d.Decode(text, trace.Pos{Line: i + 1}, &ev); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if err := r.Push([]trace.Event{ev}); err != nil {
			t.Fatal(err)
		}
		d.Reset()
		for k := range buffer {
			buffer[k] = '#'
		}
	}
}
