package validatorstest

import (
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tracecheck/trace"
	"tracecheck/validators"
)

// CutLines calls Cut at three places of the trace, and Damage.
func CutLines(t *testing.T, lines []string, opts validators.Options, seed uint64) {
	t.Helper()
	text := strings.Join(lines, "\n")
	name := fmt.Sprintf("seed %d, %+v:\n%s\n", seed, opts, text)
	CutSome(t, name, []byte(text), opts, 3, seed)
	rng := rand.New(rand.NewPCG(seed, 13))
	for range 3 {
		Damage(t, name, []byte(text), opts, rng)
	}
}

// CutSpec cuts the spec's cases, noise, and walks: random traces, each of which begins
// with a meta line. walk returns nil where it makes none.
func CutSpec(t *testing.T, spec *validators.Spec, noise Noise, walk func(*rand.Rand) []string) {
	CutCases(t, spec)
	t.Run("noise", func(t *testing.T) { CutNoise(t, spec, noise, 3000) })
	t.Run("walks", func(t *testing.T) {
		for seed := range Seeds(t, 800) {
			rng := rand.New(rand.NewPCG(seed, 1))
			if lines := walk(rng); lines != nil {
				cutWalk(t, spec, lines, rng, seed)
			}
		}
	})
}

// cutWalk cuts a walk whose lines get times, and perhaps numbers with a gap.
func cutWalk(t *testing.T, spec *validators.Spec, lines []string, rng *rand.Rand, seed uint64) {
	t.Helper()
	opts := validators.Options{Specs: []*validators.Spec{spec}, Attach: rng.Float64() < 0.2, OnGap: trace.OnGap(rng.IntN(2))}
	if rng.Float64() < 0.5 {
		opts.Deadline = time.Duration(1+rng.IntN(20)) * time.Second
	}
	seq := rng.Float64() < 0.5
	for i := range lines {
		more := ""
		if rng.Float64() < 0.8 {
			more += fmt.Sprintf(`"time":"2026-11-20T10:00:%02dZ",`, i%60)
		}
		if seq && i > 0 { // a meta line has none
			more += fmt.Sprintf(`"seq":%d,`, i)
		}
		lines[i] = "{" + more + lines[i][1:]
	}
	if i := 1 + rng.IntN(len(lines)-1); seq && rng.Float64() < 0.5 {
		lines = slices.Delete(lines, i, i+1)
	}
	name, text := fmt.Sprintf("seed %d", seed), []byte(strings.Join(lines, "\n"))
	CutSome(t, name, text, opts, 5, seed)
	if Damage(t, name, text, opts, rng); t.Failed() {
		t.Fatalf("%s:\n%s", name, text)
	}
}

// damageCases calls Damage for each *.txt case of the folder, the given number of times,
// each at a random place.
func damageCases(t *testing.T, specs []*validators.Spec, dir string, times int) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases in %s (%v)", dir, err)
	}
	rng := rand.New(rand.NewPCG(0, 14))
	for _, path := range paths {
		c, lines := readCase(t, path), ReadTrace(t, path)
		for range times {
			Damage(t, path, lines, validators.Options{Specs: specs, Attach: c.attach, Deadline: c.deadline}, rng)
		}
	}
}

// SavedSize returns the size of the saved streams at the end of the trace, in bytes.
func SavedSize(t testing.TB, lines []string, opts validators.Options) int {
	t.Helper()
	r := newCutRun(t, opts)
	r.push(decodeTrace(t, "the trace", []byte(strings.Join(lines, "\n"))))
	n := 0
	for _, s := range r.save() {
		n += len(s.state)
	}
	return n
}

// ReadTrace reads a file that may be compressed.
func ReadTrace(t testing.TB, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	lines, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}
