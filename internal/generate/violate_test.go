package generate_test

import (
	"io"
	"slices"
	"strings"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/internal/generate"
	"tracecheck/specs"
	"tracecheck/validators"
)

// unbreakable are the rules that no trace breaks, and why: by the texts, and by
// docs/format.md.
var unbreakable = map[string]string{
	"swarmkit StepTransitionsOK":                        "TLC finds that it holds",
	"swarmkit TransitionsOK":                            "it is [][StepTransitionsOK]_vars",
	"swarmkit InDesiredState":                           "no violation by itself",
	"workerimpl [][WS!Agent \\/ OtherComponent]_wsVars": "reported as WSSpec",
	"updatecluster NoApplicationOfOutdatedReq":          "holds by construction",
	"portallocator actor":                               "actors are not checked",
	"updatecluster actor":                               "actors are not checked",
	"kcpstorage actor":                                  "actors are not checked",
}

// together are the rules that are not broken alone: where a request waits in
// the queue, the queue is not empty, and so on.
var together = map[string][]string{
	"WF_vars(ProcessQueue)":     {"EveryReqInQueueIsProcessed"},
	"WF_vars(CompleteApply(r))": {"NoPartialUpdateTermination"},
	"WF_vars(Rollback(r))":      {"NoPartialUpdateTermination"},
}

// rulesOf are the names that reports may print, and those of predicates.
func rulesOf(spec *validators.Spec) []string {
	rules := []string{validators.NextRule, "action", "actor"}
	for i := range spec.Rules {
		rules = append(rules, spec.Rules[i].Name)
	}
	for i := range spec.Temporal {
		if p := &spec.Temporal[i]; p.Profile == "" || p.Profile == validators.ProfileSpec {
			rules = append(rules, p.Name)
		}
	}
	slices.Sort(rules)
	return slices.Compact(rules)
}

// Each rule of each spec is broken at the line that is said, and no other is.
func TestViolate(t *testing.T) {
	seeds, events := exhaustive.Or[uint64](1, 3), exhaustive.Or[int64](3_000, 8_000)
	for _, spec := range specs.All() {
		for _, rule := range rulesOf(spec) {
			t.Run(spec.Name+" "+rule, func(t *testing.T) {
				t.Parallel()
				if unbreakable[spec.Name+" "+rule] != "" {
					o := plain(spec.Name, 1000)
					o.Violate = rule
					_, err := generate.Run(t.Context(), o, io.Discard)
					if err == nil || !strings.HasPrefix(err.Error(), "no trace breaks "+rule) {
						t.Error(err)
					}
					return
				}
				for seed := range seeds {
					o := plain(spec.Name, events)
					o.Violate, o.Seed = rule, seed
					breaks(t, o)
					o.Streams, o.At = 3, events/3
					breaks(t, o)
					o = plain(spec.Name, events)
					o.Violate, o.Seed, o.Snapshot, o.NoClaims = rule, seed, true, true
					breaks(t, o)
					o.Batch = 6
					if rule == "WSSpec" {
						_, err := generate.Run(t.Context(), o, io.Discard)
						if err == nil || !strings.HasPrefix(err.Error(), "no batched step breaks WSSpec") {
							t.Error(err)
						}
						continue
					}
					breaks(t, o)
				}
			})
		}
	}
}

func breaks(t *testing.T, o generate.Options) {
	t.Helper()
	lines, broken := made(t, o)
	if broken.Rule != o.Violate || broken.What == "" {
		t.Errorf("%+v", broken)
	}
	result := judged(t, lines, validators.Options{Deadline: broken.Deadline})
	var got []string
	for _, v := range result.Violations {
		if int64(v.Line) != broken.Line {
			t.Errorf("%+v: %s is broken at line %d, not %d", o, v.Rule, v.Line, broken.Line)
		}
		got = append(got, v.Rule)
	}
	if want := append([]string{o.Violate}, together[o.Violate]...); !slices.Equal(got, want) {
		t.Errorf("%+v: breaks %q, want %q (%s)", o, got, want, result.Reason)
	}
	if meta := int64(o.Streams); o.At > 0 && broken.Deadline == 0 && (broken.Line < o.At+meta || broken.Line > o.At+meta+2000) {
		t.Errorf("%+v: broken at line %d", o, broken.Line)
	}
}
