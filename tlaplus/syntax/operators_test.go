package syntax

import "testing"

// TestLookupOperator checks that synonyms have one name, and that other names have none.
func TestLookupOperator(t *testing.T) {
	for spelling, want := range map[string]string{
		`\leq`: "=<", "<=": "=<", "≤": "=<", `\land`: `/\`, "∧": `/\`, `\neg`: "~", "¬": "~", `\union`: `\cup`,
		`\times`: `\X`, "×": `\X`, "/=": "#", "≠": "#", `\equiv`: "<=>", `\circ`: `\o`, `\oplus`: "(+)", "⁺": "^+",
		"-.": "-.", "+": "+", "Foo": "", "": "",
	} {
		got := ""
		if op := LookupOperator(spelling); op != nil {
			got = op.Name
		}
		if got != want {
			t.Errorf("LookupOperator(%q) is %q, expected %q", spelling, got, want)
		}
	}
}

// TestOperators checks each operator's table entry: its spellings are its own, and the
// lexer reads each.
func TestOperators(t *testing.T) {
	seen := map[string]bool{}
	for _, op := range Operators {
		if op.Low < 1 || op.High > 17 || op.Low > op.High {
			t.Errorf("%s: precedences %d to %d", op.Name, op.Low, op.High)
		}
		for _, s := range append([]string{op.Name}, op.Spellings...) {
			if seen[s] {
				t.Errorf("%s occurs twice", s)
			}
			seen[s] = true
			toks := lexAll([]byte(s))
			if len(toks) != 2 || toks[0].kind != kindOp || toks[0].op.Name != op.Name {
				t.Errorf("%s reads as %+v", s, toks)
			}
		}
	}
}
