package specs_test

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"tracecheck/internal/exhaustive"
	"tracecheck/specs"
	"tracecheck/specs/internal/swarm"
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// expected is what a recording of a simulated swarm is to show.
type expected struct {
	name, text string
	opts       validators.Options
	lines      []int
	allows     string // an allowance that the recording needs; "": not said
}

const swarms = "../testdata/swarms"

func readExpected(t *testing.T) []expected {
	t.Helper()
	f, err := os.Open(filepath.Join(swarms, "expect.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []expected
	for in := bufio.NewScanner(f); in.Scan(); {
		words := strings.Fields(in.Text())
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		e := expected{name: words[0], text: in.Text()}
		e.opts = validators.Options{KeepGoing: true, Profile: swarm.Moby}
		for _, w := range words[1:] {
			name, value, _ := strings.Cut(w, "=")
			switch name {
			case "deadline":
				e.opts.Deadline, err = time.ParseDuration(value)
			case "max_terminated":
				e.opts.Constants = map[string]string{name: value}
			case "allows":
				e.allows = value
			case "on-gap":
				e.opts.OnGap = trace.ResyncOnGap
			default:
				var line int
				line, err = strconv.Atoi(w)
				e.lines = append(e.lines, line)
			}
			if err != nil {
				t.Fatalf("%s: %v", in.Text(), err)
			}
		}
		list = append(list, e)
	}
	return list
}

// path is where the recording is: in the tree, or in TRACECHECK_SWARMS; "":
// in neither.
func (e *expected) path() string {
	for _, dir := range []string{swarms, os.Getenv("TRACECHECK_SWARMS")} {
		path := filepath.Join(dir, e.name+".jsonl.gz")
		if _, err := os.Stat(path); dir != "" && err == nil {
			return path
		}
	}
	return ""
}

func (e *expected) read(t *testing.T) []byte {
	t.Helper()
	path := e.path()
	if path == "" {
		t.Skip("a large recording: TRACECHECK_SWARMS names its folder")
	}
	return validatorstest.ReadTrace(t, path)
}

// healthySwarms are the recordings that conform as they are, and show no fault
// by a deadline either.
func healthySwarms(t *testing.T) []string {
	all := readExpected(t)
	var paths []string
	for _, e := range all {
		fault := slices.ContainsFunc(all, func(o expected) bool { return o.name == e.name && len(o.lines) > 0 })
		if path := e.path(); path != "" && e.text == e.name && !fault && e.name != snapshotsAlone {
			paths = append(paths, path)
		}
	}
	return paths
}

// snapshotsAlone is a recording without a step to judge.
const snapshotsAlone = "rmnode-late"

// TestSwarms judges recordings of simulated swarms: nothing healthy is flagged,
// and each fault is, where it is. With a deadline, other waits than that of the
// line may be flagged, too.
func TestSwarms(t *testing.T) {
	for _, e := range readExpected(t) {
		t.Run(strings.ReplaceAll(e.text, " ", ","), func(t *testing.T) {
			result := judgeWith(t, asIs(e.read(t)), e.opts)
			var got []int
			for i := range result.Violations {
				v := &result.Violations[i]
				if e.opts.Deadline == 0 || slices.Contains(e.lines, v.Line) {
					got = append(got, v.Line)
				}
			}
			if got = slices.Compact(got); !slices.Equal(got, e.lines) {
				t.Errorf("got lines %v, want %v", got, e.lines)
				for i := range result.Violations {
					t.Logf("%d: %s", result.Violations[i].Line, result.Violations[i].Message)
				}
			}
			if e.allows != "" && !slices.ContainsFunc(result.Allowances, func(u validators.Use) bool { return u.Name == e.allows }) {
				t.Errorf("%s was not needed", e.allows)
			}
			if result.Verdict == validators.Unusable && e.name != snapshotsAlone {
				t.Error(result.Reason)
			}
		})
	}
}

// What is kept of a stream in a checkpoint includes all that these allowances
// go by.
func TestCutSwarms(t *testing.T) {
	for _, e := range readExpected(t) {
		if len(e.opts.Constants) > 0 {
			continue
		}
		t.Run(strings.ReplaceAll(e.text, " ", ","), func(t *testing.T) {
			lines := e.read(t)
			e.opts.Specs, e.opts.Select = specs.All(), []string{"swarmkit"}
			if e.opts.Deadline == 0 {
				e.opts.Prompt = 3 * time.Second
			}
			validatorstest.CutSome(t, e.name, lines, e.opts, exhaustive.Or(1, 4), uint64(len(lines)))
		})
	}
}

// The recording lacks what a recording made now has: a meta line where the task
// history limit changes. With it, nothing is flagged.
func TestLimitChanges(t *testing.T) {
	const changed = "2026-11-22T07:10:25"
	data := validatorstest.ReadTrace(t, filepath.Join(swarms, "limit-1101.jsonl.gz"))
	var lines []line
	before := ""
	for raw := range bytes.Lines(data) {
		if at := gjson.GetBytes(raw, "time").Str; at >= changed && before < changed && before != "" {
			lines = append(lines, line{raw: bytes.Replace(lines[0].raw, []byte(`"max_terminated":5`), []byte(`"max_terminated":1`), 1)})
		}
		lines = append(lines, line{raw: raw})
		before = gjson.GetBytes(raw, "time").Str
	}
	result := judgeWith(t, lines, validators.Options{KeepGoing: true})
	if len(lines) != bytes.Count(data, []byte("\n"))+1 || result.Verdict != validators.Conforming {
		t.Errorf("%d lines: %s %s", len(lines), result.Verdict, result.Reason)
		for i := range result.Violations {
			t.Logf("%d: %s", result.Violations[i].Line, result.Violations[i].Message)
		}
	}
}
