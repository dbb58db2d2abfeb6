package validatorstest

import (
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracecheck/validators"
)

// CutLines cuts the lines of a trace at three places (Cut), and damages what is
// saved of it (Damage).
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

// DamageCases damages what is saved of each *.txt case of the folder, so many
// times, each at a random place.
func DamageCases(t *testing.T, specs []*validators.Spec, dir string, times int) {
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

// SavedSize is how many bytes are saved of the trace's streams at its end.
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
