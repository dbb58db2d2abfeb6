package tracespec

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLiveness: properties of what never ends are judged as TLC judges them, of the same
// text. What is accepted is TLC's answer.
func TestLiveness(t *testing.T) {
	const head = `---- MODULE T ----
EXTENDS Naturals, Sequences
VARIABLES l, x
vars == <<l, x>>
Log == <<1, 2, 3>>
Init == l = 1 /\ x = 0
Match == l <= Len(Log) /\ l' = l + 1
Linear == Match /\ x' = Log[l]
Stray == Match /\ l = 1 /\ x' = 9
Branch == (Match /\ x # 9 /\ x' = Log[l]) \/ Stray
Loop == l = 2 /\ x' = 1 - x /\ l' = l
Cyc == Linear \/ Loop
`
	for _, c := range []struct {
		spec, property string
		accepted       bool
		refused        string
	}{
		{spec: `Init /\ [][Linear]_vars`, property: "<>[](l > Len(Log))"},
		{spec: `Init /\ [][Linear]_vars /\ WF_vars(Linear)`, property: "<>[](l > Len(Log))", accepted: true},
		{spec: `Init /\ [][Branch]_vars /\ WF_vars(Branch)`, property: "<>[](l > Len(Log))"},
		{spec: `Init /\ [][Cyc]_vars /\ WF_vars(Cyc)`, property: "<>[](l > Len(Log))"},
		{spec: `Init /\ [][Linear]_vars /\ WF_vars(Linear)`, property: "[]<>(l = 2)"},
		{spec: `Init /\ [][Linear]_vars /\ WF_vars(Linear)`, property: "<>(l = 2)", accepted: true},
		{spec: `Init /\ [][Linear]_vars /\ WF_vars(Linear)`, property: "(l = 2) ~> (x = 3)", accepted: true},
		{spec: `Init /\ [][Branch]_vars /\ WF_vars(Branch)`, property: "(l = 1) ~> (l > Len(Log))"},
		{spec: `Init /\ [][Linear]_vars`, property: "<>(l = 1)", accepted: true},
		{spec: `Init /\ [][Linear]_vars`, property: "[]<>(l > 0)", accepted: true},
		{spec: `Init /\ [][Cyc]_vars /\ WF_vars(Cyc)`, property: "<>(l = 2)", accepted: true},
		{spec: `Init /\ [][Cyc]_vars /\ WF_vars(Cyc)`, property: "[]<>(l = 2)"},
		{spec: `Init /\ [][Branch]_vars /\ WF_vars(Branch)`, property: "(x = 9) ~> (l = 2)", accepted: true},
		{spec: `Init /\ [][Branch]_vars`, property: "(x = 9) ~> (l = 3)"},
		{spec: `Init /\ [][Linear]_vars /\ WF_l(Linear)`, property: "<>[](l > Len(Log))", accepted: true},
		{spec: `Init /\ [][Linear]_vars /\ WF_vars(Linear)`, property: "[](l = 2 => <>(x = 3))", accepted: true},
		{spec: `Init /\ [][Cyc]_vars /\ SF_vars(Linear)`, property: "<>[](l > Len(Log))", accepted: true},
		{spec: `Init /\ [][Cyc]_vars /\ WF_vars(Linear)`, property: "<>[](l > Len(Log))", accepted: true},
		{spec: `Init /\ [][Cyc]_vars /\ WF_vars(Loop)`, property: "<>[](l > Len(Log))"},
		{spec: `Init /\ [][Cyc]_vars /\ WF_vars(Linear /\ x = 1)`, property: "<>[](l > Len(Log))"},
		{spec: `Init /\ [][Cyc]_vars /\ SF_vars(Linear /\ x = 1)`, property: "<>[](l > Len(Log))"},
		{spec: `Init /\ [][Cyc]_vars /\ WF_vars(Linear /\ x = 0) /\ SF_vars(Linear /\ x = 1) /\ WF_vars(Linear /\ l = 3)`, property: "<>[](l > Len(Log))", accepted: true},
		{spec: `Init /\ [][Cyc]_vars /\ \A i \in 0 .. 3 : WF_vars(Linear /\ x = i)`, property: "<>[](l > 2)"},
		{spec: `Init /\ [][Cyc]_vars /\ \A i \in 0 .. 3, n \in {1} : SF_vars(Linear /\ x = i) /\ WF_vars(Linear /\ l = n)`, property: "<>[](l > 2)", accepted: true},
		{spec: `Init /\ [][Cyc]_vars /\ \A i \in {x} : WF_vars(Linear)`, property: "<>[](l > 2)", refused: "T.tla:13:33: this part of the specification is not judged"},
		{spec: `Init /\ [][Linear]_vars /\ WF_vars(Linear)`, property: "~[](l < 4)", accepted: true},
		{spec: `Init /\ [][Linear]_vars`, property: "~[](l < 4)"},
		{spec: `Init /\ [][Linear]_vars`, property: "~<>(l = 5)", accepted: true},
		{spec: `Init /\ [][Linear]_vars`, property: "~<>(l = 3)"},
		{spec: `Init /\ [][Linear]_vars`, property: `<>[][x' > x]_x`, accepted: true},
		{spec: `Init /\ [][Cyc]_vars`, property: `<>[][x' > x]_x`},
		{spec: `Init /\ [][Cyc]_vars /\ SF_vars(Linear)`, property: `<>[][x' > x]_x`, accepted: true},
		{spec: `Init /\ [][Cyc]_vars`, property: `[]<><<Loop>>_vars`},
		{spec: `Init /\ [][Cyc]_vars /\ WF_vars(Loop)`, property: `[]<><<Loop>>_vars \/ <>(l = 3)`},
		{spec: `Init /\ [][Cyc]_vars /\ WF_vars(Loop)`, property: `[]<><<Loop>>_vars`},
		{spec: `Init /\ [][Linear]_vars /\ WF_vars(Linear)`, property: `<>(l = 2) => <>(l = 4)`, accepted: true},
		{spec: `Init /\ [][Linear]_vars`, property: `<>(l = 2) => <>(l = 3)`},
		{spec: `Init /\ [][Branch]_vars /\ WF_vars(Branch)`, property: `<>(x = 1) => <>(l = 4)`, accepted: true},
		{spec: `Init /\ [][Branch]_vars /\ WF_vars(Branch)`, property: `<>(l = 2) => <>(l = 4)`},
		{spec: `Init /\ [][Cyc]_vars`, property: `[]<>(x = 1) => []<>(x = 0)`},
		{spec: `Init /\ [][Cyc]_vars /\ WF_vars(Cyc)`, property: `[]<>(l = 2) => []<>(x = 0)`, accepted: true},
		{spec: `Init /\ [][Linear]_vars /\ WF_vars(Linear)`, property: `WF_vars(Linear)`, accepted: true},
		{spec: `Init /\ [][Linear]_vars`, property: `WF_vars(Linear)`},
		{spec: `Init /\ [][Cyc]_vars /\ WF_vars(Linear)`, property: `SF_vars(Linear)`, accepted: true},
		{spec: `Init /\ [][Cyc]_vars /\ WF_vars(Loop)`, property: `SF_vars(Linear)`},
		{spec: `Init /\ [][Linear]_vars /\ WF_vars(Linear)`, property: `\A i \in 1 .. 3 : l = i ~> x = i`, accepted: true},
		{spec: `Init /\ [][Linear]_vars /\ WF_vars(Linear)`, property: `\A i \in 1 .. 4 : l = i ~> x = i`},
		{spec: `Init /\ [][Branch]_vars /\ WF_vars(Branch)`, property: `\E i \in {2, 4} : <>[](l = i)`, accepted: true},
		{spec: `Init /\ [][Branch]_vars /\ WF_vars(Branch)`, property: `(\E i \in {2, 4} : l = i) ~> \E i \in {2, 4} : [](l = i)`, accepted: true},
		{spec: `Init /\ [][Linear]_vars /\ WF_vars(Linear)`, property: `LET To(n) == <>[](l >= n) IN To(4)`, accepted: true},
		{spec: `Init /\ [][Linear]_vars`, property: `LET To(n) == <>[](l >= n) IN To(4)`},
		{spec: `Init /\ [][Linear]_vars /\ WF_vars(Linear)`, property: `[](x = 1 => <>(x = 2 /\ <>(x = 3)))`, accepted: true},
		{spec: `Init /\ [][Linear]_vars /\ WF_vars(Linear)`, property: `[](x = 1 => <>(x = 3 /\ <>(x = 2)))`},
		{spec: `Init /\ [][Linear]_vars /\ WF_vars(Linear)`, property: `IF l = 1 THEN <>(l = 4) ELSE <>(l = 9)`, accepted: true},
		{spec: `Init /\ [][Linear]_vars /\ WF_vars(Linear)`, property: `\A <<i, j>> \in {<<1, 2>>, <<2, 3>>} : x = i ~> x = j`, accepted: true},
		{spec: `Init /\ [][Linear]_vars`, property: `<>(x' = 3)`, refused: "T.tla:14:6: <> of an action that is not of the form <<A>>_v"},
		{spec: `Init /\ [][Linear]_vars`, property: `<>(l = 2) <=> <>(l = 3)`, refused: "T.tla:14:6: this form of temporal formula is not supported"},
		{spec: `Init /\ [][Linear]_vars`, property: `\A i \in 1 .. 3 : [][x' > 0]_vars`, accepted: true},
		{spec: `Init /\ [][Linear]_vars`, property: `\A i \in 1 .. 3 : [][x' < i]_vars`},
		{spec: `Init /\ [][Linear]_vars`, property: `\A i \in {l} : <>(x = i)`, refused: "T.tla:14:6: this form of temporal formula is not supported"},
		{spec: `Init /\ [][Linear]_vars`, property: `CASE l = 1 -> <>(l = 1) [] OTHER -> <>(l = 2)`, refused: "T.tla:14:6: this form of temporal formula is not supported"},
	} {
		t.Run(c.spec+" "+c.property, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{
				"T.tla": head + "Spec == " + c.spec + "\nP == " + c.property + "\n====\n", "T.cfg": "SPECIFICATION Spec\nPROPERTY P\n",
			} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			r, err := Judge(t.Context(), Options{Module: filepath.Join(dir, "T.tla")})
			var usage *UsageError
			if c.refused != "" {
				if !errors.As(err, &usage) || !strings.HasPrefix(err.Error(), c.refused) {
					t.Fatalf("%v, %+v; want the error %s", err, r, c.refused)
				}
				return
			}
			if err != nil || r.Unusable != "" || r.Accepted != c.accepted {
				t.Fatalf("%v, %+v; want accepted: %v", err, r, c.accepted)
			}
			if !r.Accepted && (r.Kind != Property || r.Rule != "P" || r.Line < 1) {
				t.Errorf("a violation of %s %s in line %d", r.Kind, r.Rule, r.Line)
			}
		})
	}
}
