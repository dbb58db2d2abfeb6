package specs_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/specs"
	"tracecheck/specs/internal/swarm"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// recordingsDir is the folder of the recordings, unless TRACECHECK_RECORDINGS
// names another.
func recordingsDir() string {
	if dir := os.Getenv("TRACECHECK_RECORDINGS"); dir != "" {
		return dir
	}
	return "../testdata/traces"
}

// judgeLines judges lines under the profile moby, up to the first violation.
func judgeLines(t *testing.T, lines []line) *validators.Result {
	t.Helper()
	return judgeWith(t, lines, validators.Options{})
}

func judgeWith(t *testing.T, lines []line, opts validators.Options) *validators.Result {
	t.Helper()
	opts.Specs = specs.All()
	if opts.Profile == "" {
		opts.Profile = swarm.Moby
	}
	r, err := validators.NewRunner(opts)
	if err != nil {
		t.Fatal(err)
	}
	pushAll(t, r, lines)
	return r.Finish()
}

func pushAll(t *testing.T, r *validators.Runner, lines []line) {
	t.Helper()
	raw := make([][]byte, len(lines))
	for i := range lines {
		raw[i] = lines[i].raw
	}
	validatorstest.Push(t, r, raw...)
}

// tally is how many faults of a kind were put in and found: at the fault, or else
// at the next line about the object that a left-out line was about.
type tally struct{ put, found, atOnce, atNext int }

func (c *tally) add(d *tally) {
	c.put, c.found, c.atOnce, c.atNext = c.put+d.put, c.found+d.found, c.atOnce+d.atOnce, c.atNext+d.atNext
}

// TestDetection puts faults into recordings, one at a time, and counts those
// that are flagged, and where: never before the fault. TRACECHECK_MUTANTS says
// how many of each kind for each recording. TRACECHECK_MISSED prints those that
// are not flagged, or late.
func TestDetection(t *testing.T) {
	each := 1
	if s := os.Getenv("TRACECHECK_MUTANTS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		each = n
	}
	counts := map[string]*tally{}
	share := exhaustive.Or(8, 1) // of the kinds, others for each recording
	for i, path := range append(recordings(t, recordingsDir()), healthySwarms(t)...) {
		name := filepath.Base(path)
		if strings.HasPrefix(name, "jobbug") {
			continue // broken as it is
		}
		lines := readLines(t, validatorstest.ReadTrace(t, path))
		if result := judgeLines(t, lines); result.Verdict != validators.Conforming {
			t.Errorf("%s: %s without a fault", name, result.Verdict)
			continue
		}
		for k, m := range mutators {
			if (i+k)%share > 0 {
				continue
			}
			r := rand.New(rand.NewPCG(1, uint64(len(name)+len(m.kind))))
			for _, made := range mutants(lines, &m, each, r) {
				c := counts[m.kind]
				if c == nil {
					c = &tally{}
					counts[m.kind] = c
				}
				c.put++
				result := judgeLines(t, made.lines)
				if len(result.Violations) == 0 {
					if os.Getenv("TRACECHECK_MISSED") != "" {
						t.Logf("missed: %s, %s:%d: %s", m.kind, name, made.at+1, made.what)
					}
					continue
				}
				c.found++
				v := &result.Violations[0]
				switch {
				case made.isAt(v):
					c.atOnce++
					continue
				case v.LastLine <= made.at:
					t.Errorf("%s, %s:%d: flagged before the fault, at %d: %s", m.kind, name, made.at+1, v.Line, v.Message)
				case made.next > 0 && spans(v, made.next, made.next):
					c.atNext++
				}
				if os.Getenv("TRACECHECK_MISSED") != "" {
					t.Logf("late: %s, %s:%d, flagged %d %s: %s", m.kind, name, made.at+1, v.FirstLine, v.Message, made.what)
				}
			}
		}
	}
	report(t, counts)
}

// mutants makes at most n mutants of the lines, at places chosen at random.
func mutants(lines []line, m *mutator, n int, r *rand.Rand) []mutant {
	places := map[int]bool{}
	for range 12 * n { // not every line will do
		places[r.IntN(len(lines))] = true
	}
	var made []mutant
	w := newWorld()
	for i := range lines {
		if places[i] && len(made) < n {
			if x, ok := m.make(lines, i, w, r); ok {
				made = append(made, x)
			}
		}
		w.take(&lines[i])
	}
	return made
}

func report(t *testing.T, counts map[string]*tally) {
	var all, seen tally // seen: all but what only a later line can contradict
	for _, m := range mutators {
		c := counts[m.kind]
		if c == nil {
			continue
		}
		t.Logf("%-40s %4d of %4d flagged, %4d at the fault", m.kind, c.found, c.put, c.atOnce)
		all.add(c)
		if m.kind == leftOut {
			t.Logf("%-40s of the others %d at the next line about the same object", "", c.atNext)
		} else {
			seen.add(c)
		}
	}
	t.Logf("%-40s %4d of %4d flagged, %4d at the fault", "all", all.found, all.put, all.atOnce)
	if 100*all.found < 95*all.put {
		t.Errorf("%d of %d faults flagged, want 95 %% at least", all.found, all.put)
	}
	if 100*seen.atOnce < 95*seen.put {
		t.Errorf("%d of %d faults flagged where they are, want 95 %% at least, apart from those that only a later line can contradict", seen.atOnce, seen.put)
	}
}
