package tracespec

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// write writes a module T and its cfg, and returns the module's file.
func write(t *testing.T, body, cfg string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"T.tla": "---- MODULE T ----\nEXTENDS Naturals, Sequences\n" + body + "\n====\n", "T.cfg": cfg} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "T.tla")
}

// TestCover: what counts are the paths that consume the log, each line once. Of a
// log that none consumes, those that come furthest.
func TestCover(t *testing.T) {
	const body = `
VARIABLES l, x
Init == l = 1 /\ x = 0
Line == l <= Len(Log) /\ l' = l + 1
Up == x' = x + Log[l] /\ (x' = 1 \/ x' > 1)
Lost == x' = 100
Guess == x' \in {x + 1, x + 2}
Never == x' = 0 - 1
Silent == x = 3 /\ x' = 4 /\ l' = l
Next == \/ Line /\ x < 50 /\ (Up \/ Lost)
        \/ Line /\ Log[l] = 7 /\ Guess
        \/ Line /\ Log[l] = 9 /\ Never
        \/ Silent
`
	for _, c := range []struct{ name, log, want string }{
		// The path over Lost ends on the line after.
		{"dead end", "<<1, 1>>", "Up 2, Lost 1, Guess 0, Never 0, Silent 0; x' = 1 1, x' > 1 1"},
		// Two paths explain line 1 with Up or Guess, and Lost.
		{"several", "<<7>>", "Up 1, Lost 1, Guess 1, Never 0, Silent 0; x' = 1 0, x' > 1 1"},
		{"silent", "<<3, 1>>", "Up 2, Lost 1, Guess 0, Never 0, Silent 1; x' = 1 0, x' > 1 2"},
		// No path explains line 2.
		{"rejected", "<<1, 0 - 9>>", "Up 1, Lost 1, Guess 0, Never 0, Silent 0; x' = 1 1, x' > 1 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := Options{Module: write(t, "Log == "+c.log+body, "INIT Init\nNEXT Next\n")}
			r, covered, err := Cover(t.Context(), o)
			if err != nil || r.Unusable != "" {
				t.Fatalf("%+v %v", r, err)
			}
			got, with := "", ""
			for _, a := range covered.Actions {
				got += fmt.Sprintf("%s%s %d", with, a.Action, a.Count)
				with = ", "
			}
			with = "; "
			for _, d := range covered.Disjuncts {
				got += fmt.Sprintf("%s%s %d", with, d.Disjunct, d.Count)
				with = ", "
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// TestProgress: what is reported grows, up to the whole log; an interrupt ends the
// search without a verdict.
func TestProgress(t *testing.T) {
	const dir = "../../testdata/tracespecs/"
	var last Progress
	o := Options{Module: dir + "LockTrace.tla", Env: map[string]string{"JSON": dir + "lock.ndjson"}}
	o.Progress = func(p Progress) {
		if p.Lines < last.Lines || p.States <= last.States || p.Total != 7 {
			t.Errorf("%+v after %+v", p, last)
		}
		last = p
	}
	if r, err := Judge(t.Context(), o); err != nil || last.Lines != 7 {
		t.Errorf("at last %+v: %+v %v; want 7 lines", last, r, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	o.Progress = func(p Progress) {
		if p.Lines == 3 {
			stop()
		}
	}
	r, err := Judge(ctx, o)
	if err != nil || !r.Partial || r.Accepted || r.Lines != 3 {
		t.Errorf("interrupted at line 3: %+v %v", r, err)
	}
	if got := r.Judged("", false); got.Verdict.ExitStatus() != 3 || !got.Partial {
		t.Errorf("interrupted: %+v; want no verdict", got)
	}
}
