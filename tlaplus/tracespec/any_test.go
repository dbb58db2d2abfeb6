package tracespec

import (
	"os"
	"path/filepath"
	"testing"
)

// judgeText judges the module M, with this text between its lines.
func judgeText(t *testing.T, text, config string, anyPath bool) (*Result, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"M.tla": "---- MODULE M ----\nEXTENDS TLC, Naturals\n" + text + "\nAccepted == TLCGet(\"distinct\") > 0\n====\n",
		"M.cfg": "INIT Init\nNEXT Next\nPOSTCONDITION Accepted\n" + config,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return Judge(t.Context(), Options{Module: filepath.Join(dir, "M.tla"), AnyPath: anyPath})
}

// TestAnyPath: a step that breaks a property counts, also where another path leads to the
// same state.
func TestAnyPath(t *testing.T) {
	r, err := judgeText(t, "VARIABLE x\nInit == x \\in {0, 1}\nNext == x' = 1\nKeeps == [][x' = x]_x", "PROPERTY Keeps\n", true)
	if err != nil || r.Rule != "Keeps" {
		t.Errorf("got %v, %+v, want a violation of Keeps", err, r)
	}
}

// TestPropertyIsEvaluatedFirst: of [A]_v, TLC evaluates A before it compares v. So an error in
// A counts, even if the step leaves v as it is.
func TestPropertyIsEvaluatedFirst(t *testing.T) {
	r, err := judgeText(t, "VARIABLES x, y\nInit == x = 0 /\\ y = 0\nNext == x < 2 /\\ x' = x + 1 /\\ y' = y\nKeeps == [][y.f = 1]_y", "PROPERTY Keeps\n", false)
	if err != nil || r.Unusable == "" {
		t.Errorf("got %v, %+v, want an error", err, r)
	}
}
