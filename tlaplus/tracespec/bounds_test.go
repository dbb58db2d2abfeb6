package tracespec

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestBounds: what does not end soon is an error that names it, and an interrupt ends it.
func TestBounds(t *testing.T) {
	for _, c := range []struct{ name, units, cfg, want string }{
		{"nested quantifiers in an invariant", `Inv == \A a, b, c, d \in 1..10000 : a + b + c + d > 0`, "INVARIANT Inv", "T.tla:7:26"},
		{"an assumption", `ASSUME \A a \in 1..100000 : \A b \in 1..100000 : a + b > 0`, "", "T.tla:7:38"},
		{"a set of sets", `Inv == {s \in SUBSET (1..40) : 41 \in s} = {}`, "INVARIANT Inv", "T.tla:7:15"},
		{"a choice", `Inv == (CHOOSE f \in [1..6 -> 1..9] : f[1] > 9) = <<>>`, "INVARIANT Inv", "T.tla:7:22"},
		{"choices for each", `Inv == \A a \in 1..100000 : (CHOOSE b \in 1..100001 : b > a) > a`, "INVARIANT Inv", "T.tla:7:43"},
		{"a set that is made", `Inv == {<<a, b>> : a, b \in 1..100000} # {}`, "INVARIANT Inv", "T.tla:7:29"},
		{"nested quantifiers of an action", `Next2 == \E a, b, c, d \in 1..10000 : a + b + c + d = 0 /\ x' = a`, "", "T.tla:7:28"},
		{"recursion", "RECURSIVE F(_)\nF(n) == F(n + 1) + 1\nInv == F(1) > 0", "INVARIANT Inv", "T.tla:8:1"},
		{"recursion of a function", "f[n \\in Nat] == f[n + 1] + 1\nInv == f[1] > 0", "INVARIANT Inv", "T.tla:7:1"},
		{"initial states", `Init2 == x \in [1..20 -> 1..20] /\ x[1] > 20`, "", "T.tla:7:10"},
	} {
		t.Run(c.name, func(t *testing.T) {
			init, next := "Init", "Next"
			switch {
			case strings.HasPrefix(c.units, "Init2"):
				init = "Init2"
			case strings.HasPrefix(c.units, "Next2"):
				next = "Next2"
			}
			file := module(t, "EXTENDS Naturals, Sequences, FiniteSets\nVARIABLE x\nInit == x = 1\n\nNext == x' = x /\\ x > 1\n"+c.units, "INIT "+init+"\nNEXT "+next+"\nCHECK_DEADLOCK FALSE\n"+c.cfg)
			r, err := Judge(t.Context(), Options{Module: file, work: 20_000})
			if err != nil || !strings.Contains(r.Unusable, c.want) {
				t.Errorf("%v, %+v; want an error at %s", err, r, c.want)
			}
		})
	}
	t.Run("an interrupt", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(50*time.Millisecond, cancel)
		file := module(t, "EXTENDS Naturals\nVARIABLE x\nInit == x = 1\nNext == x' = x\nInv == \\A a, b, c, d \\in 1..10000 : a + b + c + d > 0", "INIT Init\nNEXT Next\nINVARIANT Inv")
		r, err := Judge(ctx, Options{Module: file, MaxStates: 1_000_000_000})
		if err != nil || !r.Partial || !strings.Contains(r.Unusable, "interrupted") {
			t.Errorf("%v, %+v", err, r)
		}
	})
}

// module writes a module T with its cfg.
func module(t *testing.T, units, cfg string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "T.tla")
	for name, text := range map[string]string{file: "---- MODULE T ----\n" + units + "\n====\n", strings.TrimSuffix(file, ".tla") + ".cfg": cfg} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return file
}
