package specs_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"tracecheck/specs"
	"tracecheck/specs/internal/swarm"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// The monitor's deadline for what managers do at once flags no healthy swarm, not
// even a fourth of it does: rolling updates, jobs, changes of leader, lost nodes.
func TestPromptFlagsNothingHealthy(t *testing.T) {
	paths := append(recordings(t, "../testdata/traces"), healthySwarms(t)...)
	for _, e := range readExpected(t) {
		if path := e.path(); path != "" && (len(e.opts.Constants) > 0 || e.opts.OnGap != 0) {
			paths = append(paths, path)
		}
	}
	if dir := os.Getenv("TRACECHECK_RECORDINGS"); dir != "" {
		paths = append(paths, recordings(t, dir)...)
	}
	for _, path := range paths {
		opts := validators.Options{KeepGoing: true, Prompt: validators.DefaultPrompt / 4}
		for _, e := range readExpected(t) {
			if e.path() == path {
				opts.OnGap, opts.Constants = e.opts.OnGap, e.opts.Constants
			}
		}
		result := judgeWith(t, asIs(validatorstest.ReadTrace(t, path)), opts)
		for i := range result.Violations {
			if v := &result.Violations[i]; v.Kind == validators.OfLiveness {
				t.Errorf("%s:%d: %s", filepath.Base(path), v.Line, v.Message)
			}
		}
	}
}

// Where nothing repairs it, the faults that only a wait shows are flagged by that
// deadline: each service once, and nothing else of the recording.
func TestPromptFindsLostSteps(t *testing.T) {
	for name, want := range map[string]string{
		"none-updown":        "service vcqe4evc83em4h5uc1wl15vi4 waits for CreateSlot since line 86",
		"scale-race-212":     "service vd2ey9kxf71qgw4nktyraol2l waits for RequestRemoval since line 2937",
		"rf6-reaper-forgets": "service t11w9h75e9bciszoa45l59k9t, slot 21, waits for CleanupTerminated since line 3015",
	} {
		t.Run(name, func(t *testing.T) {
			data := recorded(t, name)
			last := bytes.TrimSpace(data[bytes.LastIndexByte(data[:len(data)-1], '\n')+1:])
			began, err := time.Parse(time.RFC3339Nano, gjson.GetBytes(last, "time").Str)
			if err != nil {
				t.Fatal(err)
			}
			for i := range 8 {
				data = fmt.Appendf(data, `{"seq":%d,"time":%q,"kind":"node","op":"create","id":"later%d","object":{"state":"down","status":"down","availability":"active"}}`+"\n",
					gjson.GetBytes(last, "seq").Int()+int64(i)+1, began.Add(time.Duration(i+1)*30*time.Second).Format(time.RFC3339Nano), i)
			}
			result := judgeWith(t, asIs(data), validators.Options{KeepGoing: true, Select: []string{"swarmkit"}, Prompt: validators.DefaultPrompt})
			if len(result.Violations) != 1 {
				t.Errorf("%d violations, want one", len(result.Violations))
			}
			for i := range result.Violations {
				says(t, result.Violations[i].Message, []string{want, "longer than the deadline of 2m0s"})
			}
		})
	}
}

// A stream's status says since when the managers have owed something, whether or
// not a deadline has passed.
func TestStatusOfLostSteps(t *testing.T) {
	for path, want := range map[string]int{
		filepath.Join(swarms, "scale-race-212.jsonl.gz"):           2937,
		filepath.Join(swarms, "none-updown.jsonl.gz"):              86,
		filepath.Join(swarms, "fa13-start-first-pending.jsonl.gz"): 0,
		"../testdata/traces/scale.jsonl":                           0,
	} {
		for _, deadline := range []time.Duration{time.Second, validators.DefaultPrompt} {
			r, err := validators.NewRunner(validators.Options{Specs: specs.All(), Select: []string{"swarmkit"}, Profile: swarm.Moby, KeepGoing: true, Prompt: deadline})
			if err != nil {
				t.Fatal(err)
			}
			pushAll(t, r, asIs(validatorstest.ReadTrace(t, path)))
			r.Status(true, func(s *validators.StreamStatus) {
				if s.Prompt.Pos.Line != want || s.Prompt.At().IsZero() != (want == 0) {
					t.Errorf("%s: since %v, want line %d", path, s.Prompt.Pos, want)
				}
			})
		}
	}
}

// What a healthy swarm may leave as it is for ever, or for as long as its users
// ask for, has no deadline by default; what differs from it in one thing has.
func TestPromptLeavesAlone(t *testing.T) {
	const (
		web   = `"kind":"service","op":"create","id":"web","object":{"mode":"replicated","replicas":1,"remove":false,"restart_condition":"none"}`
		one   = `"kind":"task","op":"create","id":"t1","object":{"service":"web","slot":1,"node":"","state":"new","desired_state":"running"}`
		two   = `"kind":"task","op":"create","id":"t2","object":{"service":"web","slot":1,"node":"","state":"new","desired_state":"%s"}`
		ended = `"kind":"task","op":"update","id":"t1","object":{"state":"complete","desired_state":"shutdown"}`
	)
	second, ready := fmt.Sprintf(two, "running"), fmt.Sprintf(two, "ready")
	rejected := `"kind":"task","op":"update","id":"t2","object":{"state":"rejected"}`
	lower := `"kind":"meta","object":{"format":1,"spec":["swarmkit"],"profile":"moby","constants":{"max_terminated":0}}`
	for name, c := range map[string]struct {
		limit int
		lines []string
		want  bool
	}{
		"the only task of a slot has ended, limit 0": {0, []string{web, one, ended}, false},
		"there is another one":                       {0, []string{web, one, second, ended}, true},
		"the limit is lower than before":             {5, []string{web, one, second, ended, lower}, false},
		"a restart delay goes on":                    {5, []string{web, one, ended, ready, rejected}, false},
		"there is no delay":                          {5, []string{web, one, ended, second, rejected}, true},
		"the history limit left no task of a slot":   {0, []string{web, one, ended, `"kind":"task","op":"delete","id":"t1"`}, false},
		"a removal left no task of a slot":           {0, []string{web, one, `"kind":"task","op":"update","id":"t1","object":{"desired_state":"remove"}`, `"kind":"task","op":"delete","id":"t1"`}, true},
	} {
		began := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
		data := fmt.Appendf(nil, `{"kind":"meta","object":{"format":1,"spec":["swarmkit"],"profile":"moby","constants":{"max_terminated":%d}}}`+"\n", c.limit)
		add := func(seq int, after time.Duration, text string) {
			data = fmt.Appendf(data, `{"seq":%d,"time":%q,%s}`+"\n", seq, began.Add(after).Format(time.RFC3339), text)
		}
		seq := 0
		for _, text := range c.lines {
			if text == lower {
				data = append(data, "{"+text+"}\n"...)
				continue
			}
			seq++
			add(seq, time.Duration(seq)*time.Second, text)
		}
		for i := range 8 {
			seq++
			add(seq, time.Duration(i+1)*30*time.Second, fmt.Sprintf(`"kind":"node","op":"create","id":"later%d","object":{"state":"down"}`, i))
		}
		result, late := judgeWith(t, asIs(data), validators.Options{KeepGoing: true, Prompt: validators.DefaultPrompt}), 0
		for i := range result.Violations {
			late += exactly(result.Violations[i].Kind == validators.OfLiveness)
		}
		if late != exactly(c.want) || result.Verdict == validators.Unusable {
			t.Errorf("%s: %d are late, want %d; %s %s", name, late, exactly(c.want), result.Verdict, result.Reason)
		}
	}
}

func exactly(is bool) int {
	if is {
		return 1
	}
	return 0
}
