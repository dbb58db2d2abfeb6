package eval

import (
	"os"
	"path/filepath"
	"testing"

	"tracecheck/tlaplus/value"
)

// TestCopyOfStandardModule: a copy of a standard module beside the specification has the
// operators that TLC has in Java, in the place of its definitions, and its own others.
func TestCopyOfStandardModule(t *testing.T) {
	dir := t.TempDir()
	copied := `---- MODULE FiniteSets ----
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences
IsFiniteSet(S) == \E seq \in Seq(S) : \A s \in S : \E n \in 1..Len(seq) : seq[n] = s
Cardinality(S) == 0
Cardinality2(S) == 7
====`
	if err := os.WriteFile(filepath.Join(dir, "FiniteSets.tla"), []byte(copied), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := load(t, dir, "EXTENDS FiniteSets\nResult == <<IsFiniteSet({1}), Cardinality({1, 2}), Cardinality2({1})>>")
	if err != nil {
		t.Fatal(err)
	}
	r := p.NewRun()
	x := p.compileIn(p.root.scope, p.root.scope.names["Result"].(*definition).expr)
	if got := value.Show(x.code(r, x.frame(nil))); got != "<<TRUE, 2, 7>>" {
		t.Errorf("TLC has <<TRUE, 2, 7>>, and not %s", got)
	}
}
