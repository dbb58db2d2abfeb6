package eval

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracecheck/tlaplus/config"
)

// TestCheck reads modules with several errors: all are reported before anything is
// evaluated, also those in definitions that nothing uses.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name, other, module, cfg string
		want                     []string
	}{
		{
			name: "names that mean nothing, several in one definition",
			module: `EXTENDS Naturals, FiniteSets
A == Cardinalty({1}) + foo
B == LET unused(x) == bar IN 1
C == [x \in missing |-> y]
D == INSTNACE + 1`,
			want: []string{
				"M.tla:3:6: Cardinalty is not defined; did you mean Cardinality?", "M.tla:3:24: foo is not defined",
				"M.tla:4:23: bar is not defined", "M.tla:5:13: missing is not defined", "M.tla:5:25: y is not defined", "M.tla:6:6: INSTNACE is not defined",
			},
		},
		{
			name:   "an instance's definitions, also LOCAL ones",
			other:  "VARIABLE v\nUsed == v\nUnused == nothing1\nLOCAL Hidden == nothing2",
			module: "VARIABLE v\nI == INSTANCE Other\nA == I!Used",
			want:   []string{"Other.tla:4:11: nothing1 is not defined", "Other.tla:5:17: nothing2 is not defined"},
		},
		{
			name:   "numbers of arguments",
			module: "EXTENDS Naturals\nF(x) == x\nG(H(_)) == H(1)\nA == F(1, 2)\nB == F\nC == G(LAMBDA a, b : a)",
			want:   []string{"M.tla:5:6: F takes 1 arguments, not 2", "M.tla:6:6: F takes 1 arguments, not 0", "M.tla:7:8: an operator with 1 arguments is expected, and the LAMBDA takes 2"},
		},
		{
			name:   "levels",
			module: "VARIABLE v\nP(x) == x'\nQ(x) == P(x)\nA == v''\nB == UNCHANGED (v')\nC == Q(v')\nASSUME v' = v\nASSUME <>(v = 1)",
			want: []string{
				"M.tla:5:6: the prime of an expression of action level", "M.tla:6:6: UNCHANGED of an expression of action level",
				"M.tla:7:8: Q primes its argument, which is of action level: it may be of state level", "M.tla:8:8: the assumption is of action level: it may only be of constants",
				"M.tla:9:8: the assumption is of temporal level: it may only be of constants",
			},
		},
		{
			name:   "bound names that a native module has",
			module: "EXTENDS Naturals, FiniteSets\nA == \\E Cardinality \\in {1} : TRUE\nB == LET Nat == 1 IN Nat\nC(IsFiniteSet) == 1",
			want: []string{
				"M.tla:3:9: Cardinality has a meaning here already: another name is needed", "M.tla:4:10: Nat has a meaning here already: another name is needed",
				"M.tla:5:3: IsFiniteSet has a meaning here already: another name is needed",
			},
		},
		{
			name: "temporal formulas",
			module: `EXTENDS Naturals
VARIABLE v
Step == [v' > v]_v
A == []<>(v' > 0) /\ [](v' > 0)
B == []Step /\ v' = 1 ~> v = 2
C == WF_v(v' = 1 /\ [](v = 1)) \/ SF_v([](v = 1))
D == [][[](v = 1)]_v
E == v' = 1 => [](v = 1)
F == ([](v = 1)) = TRUE
G == WF_(v')(Step) /\ {<>(v = 1)} # {} /\ <>[v' > v]_v
H == [][v' > 0]_v /\ []<><<v' > 0>>_v /\ [](v = 1 => <>(ENABLED Step)) /\ \A n \in {v} : [](v = n)`,
			want: []string{
				"M.tla:5:8: <> of an action that is not of the form <<A>>_v", "M.tla:5:22: [] of an action that is not of the form [A]_v",
				"M.tla:6:6: [] of an action that is not of the form [A]_v", "M.tla:6:6: ~> of an expression of action level",
				`M.tla:7:11: /\ has both actions and temporal formulas`, "M.tla:7:40: WF_v or SF_v of an expression of temporal level",
				"M.tla:8:9: [A]_v or <<A>>_v of an expression of temporal level", "M.tla:9:6: => has both actions and temporal formulas",
				"M.tla:10:6: a temporal formula is used as a value",
				"M.tla:11:9: the subscript of an expression of action level", "M.tla:11:23: a temporal formula is used as a value",
				"M.tla:11:43: <> of an action that is not of the form <<A>>_v",
			},
		},
		{
			name:   "reals",
			module: "EXTENDS Reals\nVARIABLE v\nA == v \\in Real\nB == 1 / 2\nC == Infinity",
			want: []string{
				"M.tla:4:12: Real is not supported: there are no real numbers", "M.tla:5:6: / is not supported: there are no real numbers",
				"M.tla:6:6: Infinity is not supported: there are no real numbers",
			},
		},
		{
			name:   "RealTime",
			module: "EXTENDS RealTime\nVARIABLE v",
			want:   []string{"M.tla:2:9: the module RealTime is not supported: there are no real numbers, and its variable now has no value"},
		},
		{
			name:   "what the cfg names",
			module: "EXTENDS Naturals\nCONSTANTS Max, Min, Other\nVARIABLE counter\nInit == counter = Min\nNext == counter' = counter + 1\nStep == counter' > counter",
			cfg:    "CONSTANT Max = 3\nOther <- Nothing\nINIT Init\nNEXT Nxt\nINVARIANT Counted Step",
			want: []string{
				"M.cfg:2:10: Nothing is not defined in the module", "M.cfg:4:6: Nxt is not defined in the module; did you mean Next?",
				"M.cfg:5:11: Counted is not defined in the module; did you mean counter?", "M.cfg:5:19: the invariant Step is of action level: expected at most state level",
				"M.tla:3:16: the constant Min has no value: the cfg M.cfg gives none",
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{"M": c.module, "Other": c.other} {
				if err := os.WriteFile(filepath.Join(dir, name+".tla"), []byte("---- MODULE "+name+" ----\n"+text+"\n====\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var cfg *config.Config
			if c.cfg != "" {
				var err error
				if cfg, err = config.Parse("M.cfg", []byte(c.cfg)); err != nil {
					t.Fatal(err)
				}
			}
			_, err := LoadSpec(filepath.Join(dir, "M.tla"), cfg, Options{})
			if err == nil {
				t.Fatal("no error")
			}
			if want := strings.Join(c.want, "\n"); err.Error() != want {
				t.Errorf("got:\n%v\nwant:\n%s", err, want)
			}
		})
	}
}
