package shrink_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"tracecheck/internal/exhaustive"
	"tracecheck/internal/generate"
	"tracecheck/postmortem/shrink"
	"tracecheck/specs"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// Each rule that a generated trace breaks shows in a slice of a few lines: the
// same rule, broken in the same way, by the same line.
func TestSlicesOfGenerated(t *testing.T) {
	// Lines. What WorkerImpl's refinement and a claim of kcpStorage's are about
	// takes some steps to come about; the other slices have at most five.
	const most, median = 40, 5
	for _, spec := range specs.All() {
		rules := []string{validators.NextRule, "action", "actor"}
		for i := range spec.Rules {
			rules = append(rules, spec.Rules[i].Name)
		}
		t.Run(spec.Name, func(t *testing.T) {
			t.Parallel()
			var sizes []int
			for seed := range validatorstest.Seeds(t, 4) {
				for _, rule := range rules {
					o := generate.Options{
						Specs: []string{spec.Name}, Violate: rule, Seed: seed, Events: 1000, Objects: 30, Streams: 1 + int(seed)%2,
						Start: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC), Interval: time.Millisecond,
						Snapshot: seed%4 > 1, NoClaims: seed%4 == 3,
					}
					if seed%2 == 0 {
						o.Batch = 6
					}
					var out bytes.Buffer
					if _, err := generate.Run(t.Context(), o, &out); err != nil {
						continue // there are rules that no such trace breaks
					}
					lines := strings.Split(strings.TrimSpace(out.String()), "\n")
					source := validatorstest.Source(t, lines)
					found := judge(t, source, validators.Options{}).Violations
					if len(found) == 0 || found[0].Rule != rule && found[0].Kind != validators.OfType {
						t.Fatalf("seed %d, %s: found %+v", seed, rule, found)
					}
					v := &found[0]
					result, err := shrink.Of(t.Context(), source, v, shrink.Options{Judge: validators.Options{Specs: specs.All()}, Slice: true})
					if err != nil {
						t.Fatalf("seed %d, %s: %v", seed, rule, err)
					}
					sizes = append(sizes, len(result.Lines))
					text := strings.Join(result.Lines, "\n")
					again := judge(t, validatorstest.Source(t, result.Lines), validators.Options{})
					is := same(v, again.Violations)
					if is == nil {
						t.Errorf("seed %d, %s: %+v, want %+v, from\n%s", seed, rule, again.Violations, v, text)
					} else if result.Lines[is.Line-1] != lines[v.Line-1] {
						t.Errorf("seed %d, %s: it is shown by\n%s\nnot\n%s", seed, rule, result.Lines[is.Line-1], lines[v.Line-1])
					}
					if len(result.Lines) > most {
						t.Errorf("seed %d, %s: %d lines of %d, want at most %d", seed, rule, len(result.Lines), len(lines), most)
					}
				}
			}
			slices.Sort(sizes)
			if least := 3; len(sizes) < least || exhaustive.Asked() && len(sizes) < 4*least {
				t.Fatalf("only %d traces", len(sizes))
			}
			if sizes[len(sizes)/2] > median {
				t.Errorf("the slices have %d lines, want a median of at most %d", sizes, median)
			}
		})
	}
}

// A recording of ports, of which one line logs what is allocated: a fault at any
// place of it shows in a slice of a few lines.
func TestSlicesOfPorts(t *testing.T) {
	recorded := strings.Split(seq.ReplaceAllString(string(validatorstest.ReadTrace(t, "../../testdata/traces/ports28.jsonl.gz")), ""), "\n")
	recorded = slices.Insert(recorded, 2, `{"kind":"allocator","op":"snapshot","object":{"allocated":[]}}`)
	for _, fault := range []string{
		`{"kind":"endpoint","op":"delete","id":"nobody"}`,
		`{"kind":"endpoint","op":"reject","id":"nobody","object":{"spec":[]}}`,
		`{"kind":"endpoint","op":"create","id":"somebody","object":{"spec":[{"mode":"ingress","name":"/80","protocol":"tcp","published_port":8100}],"ports":[{"mode":"ingress","name":"/80","protocol":"tcp","published_port":8101}]}}`,
	} {
		for at := 20; at < len(recorded); at += 60 {
			lines := slices.Insert(slices.Clone(recorded), at, fault)
			source := validatorstest.Source(t, lines)
			found := judge(t, source, validators.Options{}).Violations
			i := slices.IndexFunc(found, func(v validators.Violation) bool { return v.Spec == "portallocator" && v.Line == at+1 })
			if i < 0 {
				t.Fatalf("%s after line %d: found %+v", fault, at, found)
			}
			result, err := shrink.Of(t.Context(), source, &found[i], shrink.Options{Judge: validators.Options{Specs: specs.All()}, Slice: true})
			if err != nil {
				t.Errorf("%s after line %d: %v", fault, at, err)
				continue
			}
			again := judge(t, validatorstest.Source(t, result.Lines), validators.Options{})
			if is := same(&found[i], again.Violations); is == nil || result.Lines[is.Line-1] != fault {
				t.Errorf("%s after line %d: %+v, from\n%s", fault, at, again.Violations, strings.Join(result.Lines, "\n"))
			}
			if len(result.Lines) > 5 {
				t.Errorf("%s after line %d: %d lines", fault, at, len(result.Lines))
			}
		}
	}
}
