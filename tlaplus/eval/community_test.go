package eval

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"tracecheck/tlaplus/config"
)

// unsupported is what the community modules' tests use and is refused by name, with
// how many assumptions use it.
var unsupported = map[string]int{
	// Files are read, never written.
	"JsonSerialize: files are not written": 5, "ndJsonSerialize: files are not written": 3, "CSVWrite is not supported": 1,
	"Serialize is not supported": 1, "Deserialize is not supported": 1, "IOSerialize is not supported": 1, "IODeserialize is not supported": 1,
	// No command is run.
	"IOExec is not supported": 6, "IOExecTemplate is not supported": 3, "IOEnvExec is not supported": 3, "IOEnvExecTemplate is not supported": 2,
	// Nothing is drawn, and there are no statistics.
	"SVGElemToString is not supported": 11, "SVGDoc is not supported": 2, "SVGSerialize is not supported": 2,
	"Line is not supported": 1, "Circle is not supported": 1, "Rect is not supported": 1, "Text is not supported": 1, "Group is not supported": 1,
	"NodeOfRingNetwork is not supported": 1, "DotDiGraph is not supported": 1, "ChiSquare is not supported": 5,
}

// TestCommunityModules evaluates each assumption of the community modules' own
// tests.
func TestCommunityModules(t *testing.T) {
	base := os.Getenv("TRACECHECK_TLA")
	if base == "" {
		t.Skip("TRACECHECK_TLA names no folder of TLA+ modules")
	}
	dir := filepath.Join(base, "examples/communitymodules/tests")
	files, err := filepath.Glob(filepath.Join(dir, "*Tests.tla"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests in %s: %v", dir, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "AllTests.cfg"))
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Parse("AllTests.cfg", text)
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"SOME_TEST_ENV_VAR": "TLCFTW", "SOME-TEST-ENV-VAR": "TLCFTW", "SOME_TEST_ENV_VAR_N23": "23"} // of the tests' build file
	held, refused := 0, map[string]int{}
	for _, file := range files {
		if filepath.Base(file) == "AllTests.tla" { // all others once more
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			p, err := Load(file, cfg, Options{ReadFile: besides(dir), Env: env})
			if err != nil {
				t.Fatal(err)
			}
			r := p.NewRun()
			for _, a := range p.assumes {
				at := a.s.place(a.expr).String()
				x := p.compileIn(a.s, a.expr)
				var v any
				err := r.protect(func() { v = x.code(r, x.frame(nil)) })
				got := fmt.Sprint(v)
				if err != nil {
					got = err.Error()
				}
				switch {
				case got == "true":
					held++
				case err != nil && unsupported[err.(*Error).Msg] > 0:
					refused[err.(*Error).Msg]++
				default:
					t.Errorf("%s: %s", at, got)
				}
			}
		})
	}
	if !maps.Equal(refused, unsupported) {
		t.Errorf("refused: %v, expected: %v", refused, unsupported)
	}
	t.Logf("%d assumptions hold; refused by name: %v", held, refused)
}

// besides reads files beside the modules: their names are relative to the folder
// that the tests are run in.
func besides(dir string) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, "..", name)
		}
		return os.ReadFile(name)
	}
}
