package tracespec

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestLock: the four ways in which a trace spec says that the log is consumed, and
// what is violated. The logs are those of a lock whose text is beside them.
func TestLock(t *testing.T) {
	const dir = "../../testdata/tracespecs/"
	accepted, overtaken := "accepted 7", "transition Next line 3: Head(queue) = c"
	for _, c := range []struct{ module, config, log, want string }{
		{"LockTrace", "LockTrace", "lock", accepted},
		{"LockTrace", "LockTrace", "lock-overtaken", overtaken},
		{"LockLevel", "LockLevel", "lock", accepted},
		{"LockLevel", "LockLevel", "lock-overtaken", overtaken},
		{"LockProperty", "finally", "lock", accepted},
		{"LockProperty", "finally", "lock-overtaken", overtaken},
		{"LockProperty", "queue", "lock", accepted},
		{"LockProperty", "queue", "lock-overtaken", overtaken},
		{"LockProperty", "plain", "lock", accepted},
		{"LockProperty", "plain", "lock-overtaken", overtaken},
		// The second line makes two clients wait.
		{"LockProperty", "invariant", "lock", "invariant NeverTwoWait line 2: Len(queue) < 2"},
		// Bert gets the lock by line 5.
		{"LockProperty", "steps", "lock", "property OnlyAnna line 5: holder' # \"bert\""},
	} {
		t.Run(c.config+"/"+c.log, func(t *testing.T) {
			r, err := Judge(t.Context(), Options{Module: dir + c.module + ".tla", Config: dir + c.config + ".cfg", Env: map[string]string{"JSON": dir + c.log + ".ndjson"}})
			if err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprintf("accepted %d", r.Lines)
			switch {
			case r.Unusable != "":
				got = r.Unusable
			case !r.Accepted:
				got = fmt.Sprintf("%s %s line %d: ", r.Kind, r.Rule, r.Line)
				if len(r.Nearest) > 0 {
					got += r.Nearest[0].Failed.Text
				}
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// TestUnusable: what cannot be judged is no verdict.
func TestUnusable(t *testing.T) {
	const dir = "../../testdata/tracespecs/"
	o := Options{Module: dir + "LockTrace.tla", Env: map[string]string{"JSON": dir + "lock.ndjson"}, MaxStates: 3}
	r, err := Judge(t.Context(), o)
	if err != nil || r.Accepted || r.Unusable == "" {
		t.Errorf("with 3 states: %+v %v; want no verdict", r, err)
	}
	o.MaxStates, o.Env = 0, map[string]string{"JSON": dir + "Lock.tla"}
	if r, err = Judge(t.Context(), o); err != nil || r.Accepted || r.Unusable == "" {
		t.Errorf("a log that is no JSON: %+v %v; want no verdict", r, err)
	}
	o.Config = dir + "none.cfg"
	if _, err = Judge(t.Context(), o); err == nil {
		t.Error("a cfg that is not there: want an error")
	}
}

// TestMostWork: a larger number of states is not cut short by the bound on the work.
func TestMostWork(t *testing.T) {
	if got := new(Options).mostWork(); got != DefaultWork {
		t.Errorf("by default %d, want %d", got, DefaultWork)
	}
	for _, states := range []int{2 * DefaultStates, math.MaxInt} {
		if got := (&Options{MaxStates: states}).mostWork(); got <= DefaultWork || got/stateWork < min(states, math.MaxInt/stateWork) {
			t.Errorf("%d states: %d", states, got)
		}
	}
}

// TestAssumption: a false ASSUME is named by its text, where it has no name of its own too.
func TestAssumption(t *testing.T) {
	for assume, want := range map[string]string{
		"ASSUME 1 > 2":        "T.tla:5:8: the assumption 1 > 2 is not TRUE",
		"ASSUME Few == 1 > 2": "T.tla:5:15: the assumption Few == 1 > 2 is not TRUE",
	} {
		r, err := Judge(t.Context(), Options{Module: module(t, "EXTENDS Naturals\nVARIABLE x\nSpec == x = 1 /\\ [][x' = x]_x\n"+assume, "SPECIFICATION Spec")})
		if err != nil || r.Unusable != want {
			t.Errorf("%s: %v, %q; want %q", assume, err, r.Unusable, want)
		}
	}
}

// TestErrorOfWhatAStepRulesOut: of a step that is to be a property's action, TLC tries each
// element until one fits, and reports the error of one that the step rules out.
func TestErrorOfWhatAStepRulesOut(t *testing.T) {
	file := module(t, `EXTENDS Naturals
VARIABLES v, l
Spec == v = 1..12 /\ l = 1 /\ [][l < 2 /\ l' = l + 1 /\ v' = (v \ {3}) \union {13}]_<<v, l>>
Free(t) == IF t = 1 THEN t.state = "free" ELSE TRUE
Moves == [][\E t \in v : Free(t) /\ v' = (v \ {t}) \union {t + 10}]_v`, "SPECIFICATION Spec\nPROPERTY Moves\nCHECK_DEADLOCK FALSE")
	r, err := Judge(t.Context(), Options{Module: file})
	if want := "T.tla:5:26"; err != nil || !strings.Contains(r.Unusable, want) {
		t.Errorf("%v, %+v; want the error at %s", err, r, want)
	}
}
