package bind

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/tlaplus/eval"
	"tracecheck/validators"
)

// netModule has many silent steps before each line: any message may be lost, and any node's term
// may rise.
const netModule = `---- MODULE Net ----
EXTENDS Integers
CONSTANT Nodes
VARIABLES msgs, got, term
Init == msgs = {} /\ got = [n \in Nodes |-> 0] /\ term = [n \in Nodes |-> 0]
Send(n, d, k) == /\ msgs' = msgs \union {<<d, k>>}
                 /\ UNCHANGED <<got, term>>
Receive(n) == \E m \in msgs : /\ m[1] = n
                              /\ msgs' = msgs \ {m}
                              /\ got' = [got EXCEPT ![n] = @ + 1]
                              /\ UNCHANGED term
Timeout(n) == term' = [term EXCEPT ![n] = @ + 1] /\ UNCHANGED <<msgs, got>>
Lose == \E m \in msgs : msgs' = msgs \ {m} /\ UNCHANGED <<got, term>>
Next == Lose \/ \E n \in Nodes : Receive(n) \/ Timeout(n) \/ \E d \in Nodes, k \in Nat : Send(n, d, k)
====
`

// The silent steps before the lines lead to more states than can be followed, and the log
// conforms to one path of them. A message that none has sent is received by none.
func TestManySilentSteps(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"Net.tla":   netModule,
		"bind.yaml": "module: Net.tla\nconstants: {Nodes: '{\"a\", \"b\", \"c\"}'}\nevent: e.ev\nobserve: {'got[e.n]': e.got, 'term[e.n]': e.term}\nsilent: {actions: [Timeout, Lose], depth: 3}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, without := range []eval.Shortcuts{0, eval.Relevant} {
		manySilentSteps(t, filepath.Join(dir, "bind.yaml"), Options{Without: without, MaxStates: 30_000})
	}
}

func manySilentSteps(t *testing.T, file string, o Options) {
	b, err := Load(file, o)
	if err != nil {
		t.Fatal(err)
	}
	for seed := range exhaustive.Or(uint64(1), 3) {
		rng := rand.New(rand.NewPCG(seed, 1))
		term, got := map[string]int{}, map[string]int{}
		var sent, lines []string
		for k := range 60 {
			n := string("abc"[rng.IntN(3)])
			if rng.IntN(8) == 0 {
				term[n]++
			}
			if len(sent) > 0 && rng.IntN(8) == 0 {
				sent = slices.Delete(sent, 0, 1)
			}
			event, args := "Send", fmt.Sprintf(`["%s","%s",%d]`, n, n, k)
			if i := slices.Index(sent, n); i >= 0 && rng.IntN(2) == 0 {
				sent = slices.Delete(sent, i, i+1)
				got[n]++
				event, args = "Receive", fmt.Sprintf("[%q]", n)
			} else {
				sent = append(sent, n)
			}
			lines = append(lines, fmt.Sprintf(`{"ev":%q,"args":%s,"n":%q,"got":%d,"term":%d}`, event, args, n, got[n], term[n]))
		}
		r := judge(t, b, strings.Join(lines, "\n"), false)
		if r.Verdict != validators.Conforming || r.Steps != len(lines) {
			t.Errorf("seed %d: %s %s, %d steps", seed, r.Verdict, r.Reason, r.Steps)
		}
	}
	log := `{"ev":"Send","args":["a","b",1],"n":"a","got":0,"term":1}
{"ev":"Send","args":["a","b",2],"n":"a","got":0,"term":2}
{"ev":"Receive","args":["b"],"n":"b","got":1,"term":3}
{"ev":"Receive","args":["c"],"n":"c","got":1,"term":0}`
	r := judge(t, b, log, false)
	resumed(t, b, log, r)
	if len(r.Violations) != 1 || r.Violations[0].Line != 4 {
		t.Errorf("%s %s %+v, want a violation at line 4", r.Verdict, r.Reason, r.Violations)
	}
}

// climbModule has silent steps that break rules.
const climbModule = `---- MODULE Climb ----
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
Go == x = 0 /\ x' \in {1, 2} /\ y' = y
Raise == x < 4 /\ x' = x + 1 /\ y' = y
Jump == x' = x + 2 /\ y' = y
Mark == y' = y + 1 /\ x' = x
Next == Go \/ Raise \/ Jump \/ Mark
Low == x < 3
Steady == [][x' <= x + 1]_x
====
`

// What a silent step breaks, it breaks for the silent steps after it. A path of silent steps that
// breaks nothing counts wherever it leads.
func TestSilentStepsBreakRules(t *testing.T) {
	const lines = "event: e.ev\nobserve: {x: e.x}\nbefore: {x: e.was}\n"
	const objects = "objects: {climb: {x: '0', y: '0'}}\npresent: [climb]\nobserve: {x: e.climb.a.x, y: e.climb.a.y}\n"
	update := func(object string) string { return `{"kind":"climb","op":"update","id":"a","object":{` + object + `}}` }
	for _, c := range []struct{ name, bind, rule, log, want string }{
		{"the first of two breaks an invariant, and the second leaves it", lines + "silent: {actions: [Raise], depth: 2}\n", "INVARIANT Low", `
{"ev":"Mark","x":2}
{"ev":"Mark","x":4}`, "invariant Low:2"},
		{"the first of two breaks a property", lines + "silent: {actions: [Jump, Raise], depth: 2}\n", "PROPERTY Steady", `
{"ev":"Mark","x":3}`, "property Steady:1"},
		{"a longer path breaks none", lines + "silent: {actions: [Jump, Raise], depth: 3}\n", "PROPERTY Steady", `
{"ev":"Mark","x":3}`, ""},
		{"a silent step leads to where a line may have led", lines + "silent: {actions: [Raise]}\n", "PROPERTY Steady", `
{"ev":"Go"}
{"ev":"Mark","was":2}`, ""},
		{"from there, further", lines + "silent: {actions: [Raise], depth: 2}\n", "PROPERTY Steady", `
{"ev":"Go"}
{"ev":"Mark","was":3}`, ""},
		{"from there, too far", lines + "silent: {actions: [Raise]}\n", "PROPERTY Steady", `
{"ev":"Go"}
{"ev":"Mark","was":3}`, "property Steady:1"},
		{"objects, an invariant", objects + "silent: {actions: [Raise], depth: 2}\n", "INVARIANT Low",
			update(`"x":2,"y":1`) + "\n" + update(`"x":4,"y":2`), "invariant Low:2"},
		{"objects, a property", objects + "silent: {actions: [Jump, Raise], depth: 2}\n", "PROPERTY Steady", update(`"x":3,"y":1`), "property Steady:1"},
		{"objects, a longer path", objects + "silent: {actions: [Jump, Raise], depth: 3}\n", "PROPERTY Steady", update(`"x":3,"y":1`), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{
				"Climb.tla": climbModule, "Climb.cfg": "INIT Init\nNEXT Next\n" + c.rule + "\n", "bind.yaml": "module: Climb.tla\n" + c.bind,
			} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			b, err := Load(filepath.Join(dir, "bind.yaml"), Options{})
			if err != nil {
				t.Fatal(err)
			}
			r := judge(t, b, strings.TrimSpace(c.log), false)
			resumed(t, b, strings.TrimSpace(c.log), r)
			got := ""
			if len(r.Violations) > 0 {
				got = fmt.Sprintf("%s %s:%d", r.Violations[0].Kind, r.Violations[0].Rule, r.Violations[0].Line)
			}
			if got != c.want || r.Verdict == validators.Unusable || c.want == "" && r.Verdict != validators.Conforming {
				t.Errorf("%s %s %s, want %q", r.Verdict, r.Reason, got, c.want)
			}
			for _, v := range r.Violations {
				if strings.Contains(v.Message, "initial state") {
					t.Errorf("the initial state breaks nothing: %s", v.Message)
				}
			}
		})
	}
}
