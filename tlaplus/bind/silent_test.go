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
