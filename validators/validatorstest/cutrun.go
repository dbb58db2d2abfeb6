package validatorstest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tracecheck/trace"
	"tracecheck/validators"
)

func decodeTrace(t testing.TB, name string, lines []byte) []trace.Event {
	t.Helper()
	all := strings.Split(string(lines), "\n")
	var d trace.Decoder
	var events []trace.Event
	for i, line := range all {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		pos := trace.Pos{File: rotated[0], Line: i + 1}
		if i > len(all)/2 {
			pos.File = rotated[1]
		}
		var ev trace.Event
		if err := d.Decode([]byte(line), pos, &ev); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		events = append(events, ev)
	}
	return events
}

// rotated are the names of the trace's files.
var rotated = []string{"trace.1", "trace"}

// cutRun is a run before or after a cut.
type cutRun struct {
	*validators.Runner
	t        testing.TB
	out      strings.Builder
	machines map[string]validators.Machine // that judged a step since the last report
}

func newCutRun(t testing.TB, opts validators.Options) *cutRun {
	t.Helper()
	r := &cutRun{t: t, machines: map[string]validators.Machine{}}
	opts.KeepGoing, opts.Recover = true, true
	opts.OnStep = func(step *trace.Step, spec string, explanation []string, _ []validators.Finding) {
		fmt.Fprintf(&r.out, "%s %s: %q\n", step.Last(), spec, explanation)
	}
	opts.Before = func(step *trace.Step, spec string, m validators.Machine) {
		r.machines[step.Events[0].Stream+" "+spec] = m
	}
	var err error
	if r.Runner, err = validators.NewRunner(opts); err != nil {
		t.Fatal(err)
	}
	r.Expect(rotated)
	return r
}

func (r *cutRun) push(events []trace.Event) {
	r.t.Helper()
	if err := r.Push(events); err != nil {
		r.t.Fatal(err)
	}
}

func (r *cutRun) add(what string, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		r.t.Fatal(err)
	}
	fmt.Fprintf(&r.out, "%s %s\n", what, text)
}

// report has the findings since the last one, and the existing objects.
func (r *cutRun) report() string {
	found, troubles := r.Take()
	for i := range found {
		r.add("violation", &found[i])
	}
	for i := range troubles {
		r.add("trouble", &troubles[i])
	}
	for _, name := range sorted(r.machines) {
		r.machines[name].Objects(func(kind trace.Kind, id string, object []byte) {
			fmt.Fprintf(&r.out, "%s: %s %s %s\n", name, kind, id, object)
		})
	}
	clear(r.machines)
	text := r.out.String()
	r.out.Reset()
	return text
}

// finish returns the rest of the report, without the run's totals: they are not saved.
func (r *cutRun) finish() string {
	found := r.report() + r.status()
	result := r.Finish()
	for i := range result.Violations {
		r.add("violation", &result.Violations[i])
	}
	for i := range result.Liveness {
		r.add("liveness", &result.Liveness[i])
	}
	for i := range result.Desired {
		r.add("desired", &result.Desired[i])
	}
	r.add("allowances", result.Allowances)
	r.add("gaps", []int{result.Duplicates, result.Gaps, result.Skipped})
	return found + r.report() + r.status()
}

func (r *cutRun) status() string {
	all := map[string]string{}
	r.Status(true, func(s *validators.StreamStatus) {
		all[s.Stream] = fmt.Sprintf("%+v\n%+v\n", *s, r.Waiting(s.Stream))
	})
	text := ""
	for _, name := range sorted(all) {
		text += all[name]
	}
	return text
}

type savedStream struct {
	stream string
	state  []byte
}

func (r *cutRun) save() []savedStream {
	var all []savedStream
	r.Save(true, func(stream string, state []byte) { all = append(all, savedStream{stream, slices.Clone(state)}) })
	slices.SortFunc(all, func(a, b savedStream) int { return strings.Compare(a.stream, b.stream) })
	return all
}

func sorted[V any](m map[string]V) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
