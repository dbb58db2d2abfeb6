package specs_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/internal/generate"
	"tracecheck/specs"
	"tracecheck/specs/internal/swarm"
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

var seqField = regexp.MustCompile(`"seq":\d+,`)

// Reading ahead changes no result: neither where there are many streams, here all
// cases of all specs at once, nor where one has many objects. Steps that are
// looked at in the order of the input are not read ahead of.
func TestReadingAhead(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 5))
	var streams [][]string
	validatorstest.EachCase(t, ".", func(path string, lines []string, _ validators.Options) {
		if strings.Contains(strings.Join(lines, ""), `"stream"`) {
			return
		}
		for _, copied := range []string{"", " again"} {
			var own []string
			for _, line := range lines {
				if line != "" {
					own = append(own, fmt.Sprintf(`{"stream":%q,`, path+copied)+strings.TrimPrefix(line, "{"))
				}
			}
			streams = append(streams, own)
		}
	})
	if len(streams) < 1000 {
		t.Fatalf("%d streams are few", len(streams))
	}
	var cases []string
	for len(streams) > 0 {
		kept := streams[:0]
		for _, s := range streams {
			n := min(r.IntN(3), len(s))
			cases = append(cases, s[:n]...)
			if s = s[n:]; len(s) > 0 {
				kept = append(kept, s)
			}
		}
		streams = kept
	}

	var made bytes.Buffer
	if _, err := generate.Run(context.Background(), generate.Options{
		Specs: []string{"swarmkit"}, Events: exhaustive.Or[int64](8_000, 20_000), Seed: 5, Streams: 1, Objects: exhaustive.Or(3000, 8000), Snapshot: true,
	}, &made); err != nil {
		t.Fatal(err)
	}
	objects := strings.Split(strings.TrimSpace(seqField.ReplaceAllString(made.String(), "")), "\n")
	for range 30 { // a line that is missing breaks what comes after it
		at := len(objects)/2 + r.IntN(len(objects)/2)
		objects = append(objects[:at], objects[at+1:]...)
	}

	for name, lines := range map[string][]string{"many streams": cases, "many objects": objects} {
		for _, profile := range []string{validators.ProfileSpec, swarm.Moby} {
			t.Run(name+" "+profile, func(t *testing.T) {
				raw := make([][]byte, len(lines))
				for i, line := range lines {
					raw[i] = []byte(line)
				}
				opts := validators.Options{Specs: specs.All(), Profile: profile, KeepGoing: true, Shards: 1, OnGap: trace.ResyncOnGap}
				got := judgeChunks(t, raw, opts, rand.New(rand.NewPCG(1, 1)))
				opts.Before = func(*trace.Step, string, validators.Machine) {}
				if want := judgeChunks(t, raw, opts, rand.New(rand.NewPCG(1, 1))); got != want {
					t.Errorf("got\n%.2000s\nwant\n%.2000s", got, want)
				}
				if n := strings.Count(got, `"rule"`); n < 20 {
					t.Errorf("%d findings prove nothing", n)
				}
			})
		}
	}
}
