package validatorstest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/trace"
	"tracecheck/validators"
)

// Cut judges the trace twice: without a break, and with a restart after at events.
// At the restart, a new Runner restores the saved streams. Both reports must be equal,
// byte for byte. Blank lines and comments are skipped, as in a case.
func Cut(t testing.TB, name string, lines []byte, opts validators.Options, at int) {
	t.Helper()
	events := decodeTrace(t, name, lines)
	if at < 0 || at > len(events) {
		t.Fatalf("%s: there is no event %d", name, at)
	}
	cut(t, name, events, opts, at)
}

// CutAll is Cut after each event, or after every twelfth unless the test is exhaustive.
// It also saves in shares.
func CutAll(t testing.TB, name string, lines []byte, opts validators.Options) {
	t.Helper()
	events := decodeTrace(t, name, lines)
	every := exhaustive.Or(12, 1)
	for at := len(lines) % every; at <= len(events) && !t.Failed(); at += every {
		cut(t, name, events, opts, at)
	}
	for seed := range exhaustive.Or[uint64](1, 20) {
		if t.Failed() {
			return
		}
		inShares(t, name, events, opts, seed)
	}
}

// CutSome is Cut at random places. It also saves in shares.
func CutSome(t testing.TB, name string, lines []byte, opts validators.Options, places int, seed uint64) {
	t.Helper()
	events := decodeTrace(t, name, lines)
	rng := rand.New(rand.NewPCG(seed, 11))
	for range places {
		if cut(t, name, events, opts, rng.IntN(len(events)+1)); t.Failed() {
			return
		}
	}
	inShares(t, name, events, opts, seed)
}

// CutCases is CutAll of every *.txt case in testdata, with the options of the case. What
// is saved is damaged, too.
func CutCases(t *testing.T, spec *validators.Spec) {
	t.Helper()
	dir, specs := "testdata", []*validators.Spec{spec}
	paths, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases in %s (%v)", dir, err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			lines, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			c := readCase(t, path)
			CutAll(t, path, lines, validators.Options{Specs: specs, Attach: c.attach, Deadline: c.deadline})
		})
	}
	damageCases(t, specs, dir, exhaustive.Or(10, 200))
}

// CutNoise cuts lines of noise (CheckAnyInput), each case at a random place, and
// damages what is saved there. It saves some of the cases in shares.
func CutNoise(t *testing.T, spec *validators.Spec, noise Noise, cases uint64) {
	t.Helper()
	for seed := range Seeds(t, cases) {
		rng := rand.New(rand.NewPCG(seed, 12))
		lines, opts := noise.Draw(rng, spec)
		opts.Specs, opts.Budget = []*validators.Spec{spec}, 2000
		text, at := strings.Join(lines, "\n"), rng.IntN(len(lines)+1)
		name := fmt.Sprintf("seed %d, attach %t, %s, profile %s, deadline %s:\n%s\n", seed, opts.Attach, opts.Steps, opts.Profile, opts.Deadline, text)
		events := decodeTrace(t, name, []byte(text))
		cut(t, name, events, opts, at)
		if seed%8 == 0 {
			inShares(t, name, events, opts, seed)
		}
		if Damage(t, name, []byte(text), opts, rng); t.Failed() {
			return
		}
	}
}

func cut(t testing.TB, name string, events []trace.Event, opts validators.Options, at int) {
	t.Helper()
	whole := newCutRun(t, opts)
	whole.push(events[:at])
	before := whole.report()
	whole.push(events[at:])
	want := whole.finish()

	first := newCutRun(t, opts)
	first.push(events[:at])
	same(t, name, at, "before the cut", first.report(), before)
	status := first.status()
	saved := first.save()
	second := newCutRun(t, opts)
	for _, s := range saved {
		if err := second.Restore(s.stream, s.state); err != nil {
			t.Fatalf("%s, cut after %d events: %v", name, at, err)
		}
	}
	same(t, name, at, "of how its streams do", second.status(), status)
	for i, again := range second.save() {
		if !bytes.Equal(again.state, saved[i].state) {
			t.Fatalf("%s, cut after %d events: what is saved of stream %q once more differs: %d bytes, not %d",
				name, at, again.stream, len(again.state), len(saved[i].state))
		}
	}
	second.push(events[at:])
	same(t, name, at, "after the cut", second.finish(), want)
	first.push(events[at:]) // a saved run continues
	same(t, name, at, "after it was saved", first.finish(), want)
}

// same compares two reports, and shows their first difference.
func same(t testing.TB, name string, at int, what, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		var a, b string
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			t.Fatalf("%s, cut after %d events: the report %s has\n\t%s\nwant\n\t%s", name, at, what, a, b)
		}
	}
}

// Damage cuts the trace at a random place, and restores what was saved with
// some bytes changed or missing. That fails, or the restored Runner judges the rest.
// Neither panics.
func Damage(t testing.TB, name string, lines []byte, opts validators.Options, rng *rand.Rand) {
	t.Helper()
	events := decodeTrace(t, name, lines)
	at := rng.IntN(len(events) + 1)
	r := newCutRun(t, opts)
	r.push(events[:at])
	for _, s := range r.save() {
		bad := slices.Clone(s.state)
		for range 1 + rng.IntN(3) {
			switch i := rng.IntN(len(bad)); rng.IntN(6) {
			case 0:
				bad = bad[:max(i, 1)]
			case 1:
				bad[i] ^= 1 << rng.IntN(8)
			case 2:
				bad[i] = byte(rng.IntN(8))
			case 3:
				bad = slices.Insert(bad, i, byte(rng.IntN(256)))
			case 4:
				bad = slices.Delete(bad, i, i+1)
				bad = append(bad, 0)
			default:
				bad[i] = byte(rng.IntN(256))
			}
		}
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Errorf("%s, cut after %d events: %v\n%q", name, at, p, bad)
					panic(p)
				}
			}()
			other := newCutRun(t, opts)
			if err := other.Restore(s.stream, bad); err != nil {
				if !strings.HasSuffix(err.Error(), "--start-over") {
					t.Errorf("%s, cut after %d events: %q does not name a remedy", name, at, err)
				}
				return
			}
			other.status()
			other.push(events[at:])
			other.finish()
		}()
	}
}
