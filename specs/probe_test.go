package specs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/specs"
	"tracecheck/specs/internal/swarm"
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// caseTraces are the lines of every spec's cases, by file.
func caseTraces(t *testing.T) map[string][]string {
	t.Helper()
	paths, err := filepath.Glob("*/testdata/*.txt")
	if err != nil || len(paths) < 900 {
		t.Fatalf("%d cases, %v", len(paths), err)
	}
	all := map[string][]string{}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(raw)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				all[path] = append(all[path], line)
			}
		}
	}
	return all
}

func judgeText(t *testing.T, lines []string, opts validators.Options) *validators.Result {
	t.Helper()
	opts.Specs, opts.OnGap, opts.KeepGoing, opts.Shards = specs.All(), trace.ResyncOnGap, true, 1
	r, err := validators.NewRunner(opts)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range lines {
		var d trace.Decoder
		var ev trace.Event
		err := d.Decode([]byte(line), trace.Pos{Line: i + 1}, &ev)
		if err == nil {
			err = r.Push([]trace.Event{ev})
		}
		if unfit, ok := err.(*trace.Error); ok { // some cases are about that
			r.Fail(unfit)
			break
		}
	}
	return r.Finish()
}

// probing tries each step before it is judged, and the steps before it again,
// and holds what is found to what is judged.
type probing struct {
	t     *testing.T
	name  string
	past  []trace.Step // the last few
	parts []validators.Part
	named int // actions that a finding or an explanation named and that were among the attempts
	not   int // and that were not
}

func (p *probing) before(step *trace.Step, spec string, m validators.Machine) {
	prober, ok := m.(validators.Prober)
	if !ok {
		p.t.Fatalf("%s has no Probe", spec)
	}
	for i := range p.past {
		prober.Probe(&p.past[i])
	}
	p.parts = prober.Probe(step)
	again := prober.Probe(step)
	if !reflect.DeepEqual(again, p.parts) {
		p.t.Errorf("%s: %s: a second probe gives\n%+v\nwant\n%+v", p.name, step.Last(), again, p.parts)
	}
	var kept trace.Step
	for i := range step.Events {
		kept.Events = append(kept.Events, step.Events[i].Clone())
	}
	p.past = append(p.past, kept)
	if len(p.past) > 3 {
		p.past = p.past[1:]
	}
}

func (p *probing) after(step *trace.Step, _ string, explanation []string, findings []validators.Finding) {
	if len(p.parts) == 0 {
		return
	}
	var attempts []validators.Attempt
	for _, part := range p.parts {
		if part.Line < 0 || part.Line >= len(step.Events) {
			p.t.Errorf("%s: %s: a part is at line %d of %d", p.name, step.Last(), part.Line, len(step.Events))
		}
		attempts = append(attempts, part.Attempts...)
	}
	count := func(what string, is func(a *validators.Attempt) bool) {
		if slices.ContainsFunc(attempts, func(a validators.Attempt) bool { return is(&a) }) {
			p.named++
			return
		}
		p.not++
		p.t.Logf("%s: %s: %s is not among the attempts", p.name, step.Last(), what)
	}
	for i := range findings {
		f := &findings[i]
		if f.Rule != validators.NextRule || f.First.Line > 0 {
			continue
		}
		for k := range f.Nearest {
			count(f.Nearest[k].Action, func(a *validators.Attempt) bool { return near(a, &f.Nearest[k]) })
		}
		return
	}
	if len(explanation) == 1 || !p.parts[0].Whole {
		for _, name := range explanation {
			count(name, func(a *validators.Attempt) bool {
				failed, _ := a.Failed()
				return a.Action == name && failed == 0
			})
		}
	}
}

// near says that the attempt failed as the finding tells.
func near(a *validators.Attempt, n *validators.Near) bool {
	var failed []string
	for i := range a.Clauses {
		if !a.Clauses[i].Holds {
			failed = append(failed, a.Clauses[i].Text)
		}
	}
	return a.Action == n.Action && slices.Equal(failed, n.Failed)
}

// To probe leaves the state as it is: what is judged is the same, with the same
// words. What it tries is what is judged, but for a few steps: those by which nodes
// come or go, and those of several actions of which one makes way for another.
func TestProbeLeavesNoTrace(t *testing.T) {
	named, not := 0, 0
	try := func(name string, lines []string, opts validators.Options) {
		want := judgeText(t, lines, opts)
		p := &probing{t: t, name: name}
		opts.Before, opts.OnStep = p.before, p.after
		got := judgeText(t, lines, opts)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: with probes\n%+v\nwithout\n%+v", name, got, want)
		}
		named, not = named+p.named, not+p.not
	}
	for path, lines := range caseTraces(t) {
		for _, steps := range []validators.Steps{"", validators.Batched} {
			for _, attach := range []bool{false, true} {
				if !exhaustive.Asked() && attach != (steps == validators.Batched) {
					continue
				}
				try(fmt.Sprintf("%s %s %t", path, steps, attach), lines, validators.Options{Steps: steps, Attach: attach, Budget: 10_000})
			}
		}
	}
	for i, path := range recordings(t, "../testdata/traces") {
		lines := strings.Split(strings.TrimSpace(string(validatorstest.ReadTrace(t, path))), "\n")
		for k, profile := range []string{validators.ProfileSpec, swarm.Moby} {
			if !exhaustive.Asked() && i%2 != k {
				continue
			}
			try(path+" "+profile, lines, validators.Options{Profile: profile, Budget: 10_000})
		}
	}
	if named < 10_000 || not*100 > named {
		t.Errorf("%d actions that were named are among the attempts, and %d are not", named, not)
	}
}
