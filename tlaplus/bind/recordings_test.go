package bind_test

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tracecheck/tlaplus/bind"
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// TestTextsAgreeOnRecordings: the text and the Go specification agree on recordings of real
// swarms, under profile spec, up to the first violation by the Go specification. Those that
// are not in the tree are judged where TRACECHECK_RECORDINGS and TRACECHECK_SWARMS name
// their folders.
func TestTextsAgreeOnRecordings(t *testing.T) {
	t.Parallel()
	var paths []string
	for _, dir := range []string{"../../testdata/traces", os.Getenv("TRACECHECK_RECORDINGS"), os.Getenv("TRACECHECK_SWARMS")} {
		if dir == "" {
			continue
		}
		found, err := filepath.Glob(filepath.Join(dir, "*.jsonl*"))
		if err != nil || len(found) == 0 {
			t.Fatal("no recordings: ", dir, err)
		}
		for _, path := range found {
			if !slices.ContainsFunc(paths, func(p string) bool { return filepath.Base(p) == filepath.Base(path) }) {
				paths = append(paths, path)
			}
		}
	}
	for _, x := range texts {
		t.Run(x.spec, func(t *testing.T) {
			b, steps, least := x.load(t, bind.Options{MaxStates: x.most}), 0, 0
			for _, path := range paths {
				t.Run(filepath.Base(path), func(t *testing.T) {
					for _, part := range x.parts(t, x.linesOf(b, string(validatorstest.ReadTrace(t, path)))) {
						steps += x.recording(t, b, part)
					}
				})
			}
			if x.spec == swarmKit.spec || x.spec == portAllocator.spec { // there are no lines of the others
				least = len(paths)
			}
			if steps < least {
				t.Errorf("%d steps were judged", steps)
			}
		})
	}
}

// linesOf are the lines that the spec reads, under profile spec. Others are empty.
func (x text) linesOf(b *bind.Bind, data string) []string {
	lines := strings.Split(strings.TrimSpace(data), "\n")
	for i, line := range lines {
		if kind := kindOf(line); kind != "meta" && !slices.Contains(b.Spec.Kinds, trace.ParseKind(kind)) {
			lines[i] = ""
			continue
		}
		lines[i] = strings.Replace(seq.ReplaceAllString(line, ""), `"profile":"moby"`, `"profile":"spec"`, 1)
	}
	return lines
}

// recording judges a recording up to the first violation by the Go specification, and
// returns how many steps the text has judged.
func (x text) recording(t *testing.T, b *bind.Bind, lines []string) (steps int) {
	t.Helper()
	its := first(x.byCode(t, lines), x.apart)
	lines = lines[:cmp.Or(its.line, len(lines))]
	text, code := x.both(t, b, lines)
	if text.Verdict == validators.Unusable && text.Steps > 0 {
		t.Errorf("%s: %s, Go: %s", text.Verdict, text.Reason, its)
	}
	if differ := x.agree(t, lines, text, code); differ != "" {
		t.Error(differ)
	}
	return int(text.Steps)
}
