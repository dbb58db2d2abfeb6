package updatecluster_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tracecheck/postmortem/replay"
	"tracecheck/specs/internal/oracle"
	"tracecheck/specs/updatecluster"
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// A run that is cut and gone on with from what it saved says what one without a
// break says.

func TestCut(t *testing.T) {
	validatorstest.CutSpec(t, updatecluster.Spec, noise, func(rng *rand.Rand) []string { return genTrace(rng, randomOpts(rng)) })
}

// TestStateGoesOn: the state that replay writes and the lines that followed it
// break the rules that the whole trace breaks, at the same lines.
func TestStateGoesOn(t *testing.T) {
	later, n := 0, 0
	for seed := range validatorstest.Seeds(t, 1500) {
		rng := oracle.NewRand(seed)
		o := randomOpts(rng)
		o.hideLast, o.hideConf, o.overlays = true, false, false // what a state says of the cluster is another matter
		lines := genTrace(rng, o)
		if lines == nil || snapshotsLater(lines) {
			continue
		}
		whole := run(t, lines)
		at := 1 + rng.IntN(len(lines)-1)
		begin, at := stateAt(t, lines, at)
		if at >= len(lines) || at == 0 || len(whole.Violations) > 0 && whole.Violations[0].FirstLine <= at {
			continue
		}
		cut := run(t, append(begin, lines[at:]...))
		got, want := places(cut, len(begin)-at), places(whole, 0)
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d, cut after line %d: %q, want %q\n%s\nfrom there on\n%s", seed, at, got, want, strings.Join(lines, "\n"), strings.Join(begin, "\n"))
		}
		later += len(want)
		n++
	}
	if later < n/10 {
		t.Errorf("only %d violations after %d cuts", later, n)
	}
}

// snapshotsLater says that snapshots take back what has happened: a state does
// not say which was the last submission then.
func snapshotsLater(lines []string) bool {
	stepped := false
	return slices.ContainsFunc(lines[1:], func(line string) bool {
		is := strings.Contains(line, `"op":"snapshot"`)
		stepped = stepped || !is
		return is && stepped
	})
}

// stateAt is the state after a line's step as the beginning of a trace, and the
// line that it goes on from.
func stateAt(t *testing.T, lines []string, at int) (begin []string, last int) {
	t.Helper()
	r := replay.New(replay.Options{At: replay.Line(trace.Pos{Line: at})})
	var d trace.Decoder
	for i, line := range lines {
		var ev trace.Event
		if err := d.Decode([]byte(line), trace.Pos{Line: i + 1}, &ev); err != nil {
			t.Fatal(err)
		}
		if err := r.Push([]trace.Event{ev}); err != nil && err != replay.ErrDone {
			t.Fatal(err)
		}
	}
	if err := r.Finish(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := replay.Write(&out, r.Streams(), nil); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(out.String()), "\n"), r.Streams()[0].Last.Line
}

// places lists the violations, with the lines that they have less moved.
func places(r *validators.Result, moved int) (list []string) {
	for _, v := range r.Violations {
		list = append(list, fmt.Sprint(v.Kind, " ", v.Rule, " at ", v.FirstLine-moved, " to ", v.LastLine-moved))
	}
	return list
}

// TestCutBadCluster: a field of the cluster that was outside its type is so
// until a line gives it again.
func TestCutBadCluster(t *testing.T) {
	validatorstest.CutAll(t, "a bad cluster", []byte(strings.Join([]string{
		`{"kind":"cluster","op":"snapshot","object":{"request":null,"complete":"yes","last_submitted":1,"conf_ok":true}}`,
		`{"kind":"request","op":"snapshot","id":"r1","object":{"status":"processing","rank":1,"queued":false}}`,
		`{"tx":1,"kind":"request","op":"update","id":"r1","object":{"status":"partial"}}`,
		`{"tx":1,"kind":"cluster","op":"update","object":{"request":"r1"}}`,
	}, "\n")), validators.Options{Specs: []*validators.Spec{updatecluster.Spec}})
}
