package validatorstest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tracecheck/trace"
	"tracecheck/validators"
)

// interleaved judges the trace as two interleaved streams. Each must have the findings
// of one.
func (c *testCase) interleaved(t *testing.T, specs []*validators.Spec, alone outcome) {
	const second = 1000000 // added to the line numbers of the second stream
	var lines []caseLine
	for _, l := range c.lines {
		for n, stream := range []string{"first", "second"} {
			if strings.Contains(l.text, `"stream"`) {
				return // it has several streams already
			}
			text := fmt.Sprintf(`{"stream":%q,%s`, stream, strings.TrimPrefix(l.text, "{"))
			lines = append(lines, caseLine{number: l.number + n*second, text: text})
		}
	}
	o := c.judge(t, specs, lines)
	for _, l := range c.lines {
		for _, number := range []int{l.number, l.number + second} {
			if got, want := kindsAt(o, number), kindsAt(alone, l.number); got != want {
				t.Errorf("%s:%d: got %s, want %s", c.path, l.number, got, want)
			}
		}
	}
}

// batched judges the case with batched steps. They must accept each step that atomic
// steps accept, with one exception. If the lines of a step delete an object and create it
// again, atomic judging only compares the two states. Batched judging sees a recreation.
func (c *testCase) batched(t *testing.T, specs []*validators.Spec, atomic outcome) {
	if strings.Contains(c.lines[0].text, "batched") {
		return // it is batched already
	}
	o := c.judge(t, specs, asBatched(c.lines))
	for _, l := range c.lines {
		if got := kindsAt(o, l.number); got != "" && kindsAt(atomic, l.number) == "" && !c.remakes(t, l.number) {
			t.Errorf("%s:%d: batched judging finds %s in a step that atomic judging accepts", c.path, l.number, got)
		}
	}
}

// remakes reports whether the step that ends at the line deletes an object and creates it
// again. From there on, the two states differ.
func (c *testCase) remakes(t *testing.T, last int) bool {
	deleted := map[string]bool{}
	for _, l := range c.lines {
		if l.number > last {
			break
		}
		switch ev := decode(t, l.text); {
		case ev.Op == trace.OpDelete && ev.Tx.IsSet():
			deleted[ev.Tx.String()+" "+ev.ID] = true
		case ev.Op == trace.OpCreate && deleted[ev.Tx.String()+" "+ev.ID]:
			return true
		}
	}
	return false
}

func asBatched(lines []caseLine) []caseLine {
	out := append([]caseLine(nil), lines...)
	if strings.Contains(out[0].text, `"meta"`) {
		out[0].text = strings.Replace(out[0].text, `"object":{`, `"object":{"steps":"batched",`, 1)
		return out
	}
	return append([]caseLine{{number: 0, text: `{"kind":"meta","object":{"steps":"batched"}}`}}, out...)
}

// cut resumes the trace after each step from snapshots of the state. The rest must be
// judged as before, with the same waits at the end.
func (c *testCase) cut(t *testing.T, specs []*validators.Spec, whole outcome) {
	for i := range c.lines {
		if i+1 < len(c.lines) && sameStep(c.lines[i].text, c.lines[i+1].text) {
			continue
		}
		resumed := c.resumeAfter(t, specs, i)
		if resumed == nil {
			return // a named stream would make this more complicated
		}
		o := c.judge(t, specs, resumed)
		for _, l := range c.lines[i+1:] {
			if got, want := kindsAt(o, l.number), kindsAt(whole, l.number); got != want {
				t.Fatalf("%s: resumed after line %d: line %d: got %s, want %s", c.path, c.lines[i].number, l.number, got, want)
			}
		}
		if got, want := waitsOf(o.result, false), waitsOf(whole.result, false); !slices.Equal(got, want) {
			t.Fatalf("%s: resumed after line %d: in the end, waiting are %q, want %q", c.path, c.lines[i].number, got, want)
		}
	}
}

// CheckWaits judges the lines of a trace by the spec. At each of a few places, it compares
// what waits with what waits in snapshots of the state there.
func CheckWaits(t *testing.T, spec *validators.Spec, lines []string) {
	t.Helper()
	c := &testCase{path: strings.Join(lines, "\n")}
	for i, text := range lines {
		if text != "" {
			c.lines = append(c.lines, caseLine{number: i + 1, text: text})
		}
	}
	specs := []*validators.Spec{spec}
	for _, end := range []int{len(c.lines) / 2, len(c.lines)} {
		for end < len(c.lines) && end > 0 && sameStep(c.lines[end-1].text, c.lines[end].text) {
			end++
		}
		if end == 0 {
			continue
		}
		resumed := c.resumeAfter(t, specs, end-1)
		if resumed == nil {
			return
		}
		resumed = resumed[:len(resumed)-(len(c.lines)-end)]
		got := waitsOf(c.judge(t, specs, c.lines[:end]).result, false)
		want := waitsOf(c.judge(t, specs, resumed).result, false)
		if !slices.Equal(got, want) {
			t.Fatalf("after line %d of\n%s\nwaiting are %q, and in the same state as snapshots %q", c.lines[end-1].number, c.path, got, want)
		}
	}
}

func decode(t *testing.T, text string) trace.Event {
	t.Helper()
	var d trace.Decoder
	var ev trace.Event
	if err := d.Decode([]byte(text), trace.Pos{}, &ev); err != nil {
		t.Fatal(err)
	}
	return ev
}

func sameStep(a, b string) bool {
	var d trace.Decoder
	var x, y trace.Event
	if d.Decode([]byte(a), trace.Pos{}, &x) != nil || d.Decode([]byte(b), trace.Pos{}, &y) != nil {
		return false
	}
	snapshots := x.Op == trace.OpSnapshot && y.Op == trace.OpSnapshot
	return snapshots || x.Tx.IsSet() && x.Tx == y.Tx && y.Op != trace.OpSnapshot
}

// resumeAfter returns the meta line, snapshots of the state after line i, and
// the lines that follow.
func (c *testCase) resumeAfter(t *testing.T, specs []*validators.Spec, i int) []caseLine {
	var lines []caseLine
	config := validators.Config{Steps: validators.Atomic, Budget: validators.DefaultBudget}
	var seq trace.Sequencer
	sink := &replay{t: t}
	for k, l := range c.lines[:i+1] {
		ev := decode(t, l.text)
		if ev.Stream != "" {
			return nil
		}
		if ev.Kind == trace.KindMeta {
			m, err := trace.ParseMeta(&ev)
			if err != nil {
				t.Fatal(err)
			}
			config.Constants, config.Profile = m.Constants, m.Profile
			if m.Steps != "" {
				config.Steps = validators.Steps(m.Steps)
			}
			lines = append(lines, c.lines[k])
		}
		if sink.machines == nil && ev.Kind != trace.KindMeta {
			for _, s := range specs {
				m, err := s.New(config)
				if err != nil {
					t.Fatal(err)
				}
				sink.specs, sink.machines = append(sink.specs, s), append(sink.machines, m)
			}
		}
		if err := seq.Push(&ev, sink); err != nil {
			t.Fatal(err)
		}
	}
	if err := seq.Close(sink); err != nil {
		t.Fatal(err)
	}
	for _, m := range sink.machines {
		m.Objects(func(kind trace.Kind, id string, object []byte) {
			o := Object{Kind: kind.String(), ID: id, Object: object}
			lines = append(lines, caseLine{number: -1 - len(lines), text: o.Line("snapshot")}) // not a line of the case
		})
	}
	return append(lines, c.lines[i+1:]...)
}

// replay takes steps and ignores the findings.
type replay struct {
	t        *testing.T
	specs    []*validators.Spec
	machines []validators.Machine
}

func (r *replay) Meta(*trace.Event) error { return nil }
func (r *replay) Begin() error            { return nil } // a case is one recording
func (r *replay) Lost(*trace.Error)       {}
func (r *replay) Snapshot(ev *trace.Event) error {
	for i, m := range r.machines {
		if r.specs[i].Reads(ev.Kind) {
			m.Snapshot(ev)
		}
	}
	return nil
}

func (r *replay) SnapshotsEnd() error {
	for _, m := range r.machines {
		m.SnapshotsEnd()
	}
	return nil
}

func (r *replay) Step(step *trace.Step) error {
	for _, m := range r.machines {
		if _, _, err := m.Step(step); err != nil {
			return err
		}
	}
	return nil
}

// kindsAt lists the violations of the step that ends at the line.
func kindsAt(o outcome, line int) string {
	var kinds []string
	for _, v := range o.violations[line] {
		kinds = append(kinds, string(v.Kind)+" "+v.Rule)
	}
	return strings.Join(kinds, ", ")
}
