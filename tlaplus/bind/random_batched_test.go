package bind

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/tlaplus/eval"
	"tracecheck/trace"
)

// TestRandomBatched judges batched steps of random modules with all short cuts, without one
// of those that the search has, and without any. The verdicts have to be the same.
func TestRandomBatched(t *testing.T) {
	trace.KindNamed("item")
	trace.KindNamed("place")
	judged, violations, steps := 0, 0, 0
	for seed := range exhaustive.Or(uint64(15), 1000) {
		m := &randomBatched{rand.New(rand.NewPCG(seed, 2))}
		dir := t.TempDir()
		text := m.module()
		for name, text := range map[string]string{"Random.tla": text, "Random.cfg": "INIT Init\nNEXT Next\nINVARIANT Inv\nPROPERTY Keeps\n", "bind.yaml": batchedBind} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		log := m.log()
		want, found := verdictOf(t, dir, log, ^eval.Shortcuts(0))
		if strings.HasPrefix(want, "unusable") {
			continue
		}
		for _, without := range []eval.Shortcuts{0, eval.Nearest} {
			if got, _ := verdictOf(t, dir, log, without); got != want {
				t.Fatalf("seed %d, without %b\ngot:  %s\nwant: %s\n%s\n%s", seed, without, got, want, text, log)
			}
		}
		judged++
		violations += found
		steps += strings.Count(log, `"tx":`)
	}
	if judged == 0 || violations == 0 || violations > steps/2 {
		t.Errorf("%d modules were judged, with %d violations in %d lines", judged, violations, steps)
	}
}

const batchedBind = `module: Random.tla
objects:
  item: {grp: '0', st: '"a"'}
  place: {n: '0'}
init: snapshots
constants: {Id: 'DOMAIN e.item'}
observe:
  s: '{[id |-> i, grp |-> objects.item[i].grp, st |-> objects.item[i].st] : i \in DOMAIN objects.item}'
  f: '[i \in DOMAIN objects.place |-> objects.place[i].n]'
throughout: ['kept.item \subseteq {r.id : r \in s}']
`

// randomBatched makes a module and a log of objects.
type randomBatched struct{ *rand.Rand }

func (m *randomBatched) one(of ...string) string { return of[m.IntN(len(of))] }

func (m *randomBatched) module() string {
	state := func() string { return m.one(`"a"`, `"b"`, `"c"`) }
	guard := func(r string) string {
		return m.one("TRUE", "TRUE", r+`.st = `+state(), r+`.st # `+state(), "Cardinality(Of("+r+".grp)) > 1", `(\A v \in Of(`+r+`.grp) : v.st # `+state()+")",
			`Cardinality({v \in s : v.st = `+state()+`}) < 2`, `(\A k \in DOMAIN f : f[k] < 2)`, "x < 2")
	}
	count := m.one("UNCHANGED x", "UNCHANGED x", "x' = (x + 1) % 3")
	var actions []string
	for range 3 + m.IntN(4) {
		actions = append(actions, m.one(
			`(\E r \in s : `+guard("r")+` /\ s' = (s \ {r}) \union {[r EXCEPT !.st = `+state()+`]}) /\ UNCHANGED f /\ `+count,
			`(\E r \in s : `+guard("r")+` /\ s' = s \ {r}) /\ UNCHANGED <<f, x>>`,
			`(\E i \in Id \ {r.id : r \in s} : \E g \in 0 .. 1 : s' = s \union {[id |-> i, grp |-> g, st |-> `+state()+`]}) /\ UNCHANGED f /\ `+count,
			`(\E r \in s, u \in s : r # u /\ `+guard("r")+` /\ `+guard("u")+` /\ s' = (s \ {r, u}) \union {[r EXCEPT !.st = `+state()+`], [u EXCEPT !.st = r.st]}) /\ UNCHANGED <<f, x>>`,
			`(\E r \in s : LET all == {u \in Of(r.grp) : `+guard("u")+`} IN s' = (s \ all) \union {[u EXCEPT !.st = `+state()+`] : u \in all}) /\ UNCHANGED <<f, x>>`,
			`(\E k \in DOMAIN f : f[k] < 3 /\ f' = [f EXCEPT ![k] = (@ + 1) % 4]) /\ UNCHANGED s /\ `+count))
	}
	return `---- MODULE Random ----
EXTENDS Integers, FiniteSets
CONSTANT Id
VARIABLES s, f, x
Of(g) == {r \in s : r.grp = g}
Init == s = {} /\ f = [i \in {} |-> 0] /\ x = 0
Next ==
  \/ ` + strings.Join(actions, "\n  \\/ ") + `
Inv == Cardinality({r \in s : r.st = "c"}) < ` + m.one("2", "3", "4") + ` /\ x < ` + m.one("2", "3") + `
Keeps == [][\A r \in s : r.st = ` + state() + ` => \E u \in s' : u.id = r.id]_<<s, f, x>>
====
`
}

// log changes some objects in each step.
func (m *randomBatched) log() string {
	var b strings.Builder
	b.WriteString(`{"kind":"meta","object":{"format":1,"steps":"batched"}}` + "\n")
	at := map[string]bool{}
	fields := func(item bool) string {
		if !item {
			return fmt.Sprintf(`{"n":%d}`, m.IntN(4))
		}
		return fmt.Sprintf(`{"grp":%d,"st":%q}`, m.IntN(2), m.one("a", "b", "c"))
	}
	for i := range 6 {
		id, kind := fmt.Sprintf("i%d", i), "item"
		if i > 3 {
			id, kind = fmt.Sprintf("p%d", i), "place"
		}
		if at[id] = kind == "place" || m.IntN(2) == 0; at[id] {
			fmt.Fprintf(&b, `{"kind":%q,"op":"snapshot","id":%q,"object":%s}`+"\n", kind, id, fields(kind == "item"))
		}
	}
	for tx := range 12 {
		done := map[string]bool{}
		for range 1 + m.IntN(3) {
			id := fmt.Sprintf("i%d", m.IntN(4))
			op, object := "update", fmt.Sprintf(`{"st":%q}`, m.one("a", "b", "c"))
			kind := "item"
			switch {
			case m.IntN(5) == 0:
				kind, id, object = "place", fmt.Sprintf("p%d", 4+m.IntN(2)), fields(false)
			case !at[id]:
				op, object = "create", fields(true)
			case m.IntN(3) == 0:
				op, object = "delete", "{}"
			}
			if done[id] && m.IntN(3) > 0 {
				continue
			}
			at[id], done[id] = op != "delete", true
			fmt.Fprintf(&b, `{"tx":%d,"kind":%q,"op":%q,"id":%q,"object":%s}`+"\n", tx+1, kind, op, id, object)
		}
	}
	return b.String()
}
