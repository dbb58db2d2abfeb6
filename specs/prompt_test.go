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
			r, err := validators.NewRunner(validators.Options{Specs: specs.All(), Select: []string{"swarmkit"}, Profile: validators.ProfileMoby, KeepGoing: true, Prompt: deadline})
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
