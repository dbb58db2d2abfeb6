package tracespec

import (
	"os"
	"path/filepath"
	"testing"

	"tracecheck/tlaplus/eval"
)

// TestNearest: the action is nearest whose clauses say most, not the one that gives
// most variables their values. A clause may name an operator, which has no value.
func TestNearest(t *testing.T) {
	for _, c := range []struct{ name, body, action, clause, values string }{
		{"says", `
Line == l <= Len(Log) /\ l' = l + 1 /\ x' = Log[l]
Jump == Line /\ y' = y + 1 /\ z' = z + 1 /\ UNCHANGED x
Step == Line /\ x' > x /\ x' = x + 5 /\ UNCHANGED <<y, z>>
Next == Jump \/ Step`, "Step", "x' = x + 5", "x' = 7, x = 5"},
		{"choice", `
Line == l <= Len(Log) /\ l' = l + 1
Up == x' = x + 5
Down == x' = x - 1
Some == Line /\ Log[l] = x + 5 /\ (Up \/ Down) /\ UNCHANGED <<y, z>>
Next == Some \/ (Line /\ x > 5 /\ UNCHANGED <<x, y, z>>)`, "Some", "Log[l] = x + 5", "Log[l] = 7, x = 5"},
		{"unchanged", `
Next == l <= Len(Log) /\ l' = l + 1 /\ x' = Log[l] /\ y' = y /\ z' = z /\ (l = 2 => UNCHANGED x)`,
			"Next", "UNCHANGED x", "x = 5, x' = 7"},
		{"operator", `
Small(n) == n < 6
Next == l <= Len(Log) /\ SelectSeq(Log, Small) = <<Log[l]>> /\ l' = l + 1 /\ UNCHANGED <<x, y, z>>`,
			"Next", "SelectSeq(Log, Small) = <<Log[l]>>", "SelectSeq(Log, Small) = <<5>>, Log = <<5, 7>>, Log[l] = 7"},
		{"except", `
Next == l <= Len(Log) /\ l' = l + 1 /\ x' = Log[l] /\ y' = y /\ \E k \in {1} : z' = [<<0>> EXCEPT ![k] = Log[l]] /\ z' = [<<0>> EXCEPT ![k] = x + 5]`,
			"Next", "z' = [<<0>> EXCEPT ![k] = x + 5]", "z' = <<7>>, k = 1, x = 5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			module := "---- MODULE T ----\nEXTENDS Naturals, Sequences\nVARIABLES l, x, y, z\nLog == <<5, 7>>\nInit == l = 1 /\\ x = 0 /\\ y = 0 /\\ z = 0" + c.body + "\n====\n"
			for name, text := range map[string]string{"T.tla": module, "T.cfg": "INIT Init\nNEXT Next\n"} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			r, err := Judge(t.Context(), Options{Module: filepath.Join(dir, "T.tla")})
			if err != nil || r.Unusable != "" || len(r.Nearest) == 0 {
				t.Fatalf("%+v %v", r, err)
			}
			if near := r.Nearest[0]; near.Action != c.action || near.Failed.Text != c.clause || near.Failed.Values != c.values {
				t.Errorf("%s: %s (%s), want %s: %s (%s)", near.Action, near.Failed.Text, near.Failed.Values, c.action, c.clause, c.values)
			}
			if want := "Log[2] = 7"; r.Reads != want {
				t.Errorf("the line is %s, want %s", r.Reads, want)
			}
		})
	}
}

// TestAsNear: those that got as far as the first are named, each once.
func TestAsNear(t *testing.T) {
	far := func(action string, says, held int) *eval.Attempt {
		return &eval.Attempt{Action: action, Says: says, Held: make([]eval.Clause, held)}
	}
	for want, list := range map[string][]*eval.Attempt{
		"":                              {far("A", 2, 1), far("B", 1, 1), far("C", 2, 0)},
		"; equally near is B":           {far("A", 2, 1), far("A", 2, 1), far("B", 2, 1), far("B", 2, 1)},
		"; equally near are B, C and D": {far("A", 0, 0), far("B", 0, 0), far("C", 0, 0), far("D", 0, 0)},
	} {
		if got := AsNear(list); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
