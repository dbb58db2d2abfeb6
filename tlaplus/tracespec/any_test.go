package tracespec

import (
	"os"
	"path/filepath"
	"testing"
)

// TestAnyPath: a step that breaks a property counts, also where another path leads to the
// same state.
func TestAnyPath(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"Any.tla": "---- MODULE Any ----\nEXTENDS TLC\nVARIABLE x\nInit == x \\in {0, 1}\nNext == x' = 1\nKeeps == [][x' = x]_x\nAccepted == TRUE\n====\n",
		"Any.cfg": "INIT Init\nNEXT Next\nPROPERTY Keeps\nPOSTCONDITION Accepted\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Judge(t.Context(), Options{Module: filepath.Join(dir, "Any.tla"), AnyPath: true})
	if err != nil || r.Rule != "Keeps" {
		t.Errorf("got %v, %+v, want a violation of Keeps", err, r)
	}
}
