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
	"tracecheck/tlaplus/config"
	"tracecheck/tlaplus/eval"
	"tracecheck/tlaplus/value"
	"tracecheck/trace"
)

// The kinds of the tests' own objects: no line may be decoded before they are registered.
var _ = []trace.Kind{trace.KindNamed("client"), trace.KindNamed("item"), trace.KindNamed("place"), trace.KindNamed("thing")}

// TestRandomBatched judges batched steps of random modules with all short cuts, without one
// of those that the search has, and without any. The verdicts have to be the same.
func TestRandomBatched(t *testing.T) {
	t.Parallel()
	judged, violations, steps := 0, 0, 0
	for seed := exhaustive.Or(uint64(12), 0); seed < exhaustive.Or(uint64(17), 200); seed++ { // a share that is soon judged
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
	update, also := "Counted", ""
	if m.IntN(2) == 0 {
		update, also = "Update", ` /\ UNCHANGED x`
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
			`(\E r \in s : `+guard("r")+` /\ Update([t \in {r} |-> [t EXCEPT !.st = `+state()+`]])) /\ UNCHANGED <<f, x>>`,
			`(\E all \in SUBSET {r \in s : r.st = `+state()+` /\ r.grp = 0} : `+m.one("", "", "Cardinality(all) < 2 /\\ ")+`\E to \in [all -> {`+state()+`, `+state()+`}] : `+update+`([r \in all |-> [r EXCEPT !.st = to[r]]])) /\ UNCHANGED f`+also,
			`(\E k \in DOMAIN f : f[k] < 3 /\ f' = [f EXCEPT ![k] = (@ + 1) % 4]) /\ UNCHANGED s /\ `+count))
	}
	return `---- MODULE Random ----
EXTENDS Integers, FiniteSets
CONSTANT Id
VARIABLES s, f, x
Of(g) == {r \in s : r.grp = g}
Update(g) == s' = (s \ DOMAIN g) \union {g[r] : r \in DOMAIN g}
Counted(g) == s' = (s \ DOMAIN g) \union {g[r] : r \in DOMAIN g} /\ x' = Cardinality(DOMAIN g) % 3
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
	for i := range 12 { // of ten items, some are changed
		id, kind := fmt.Sprintf("i%d", i), "item"
		if i > 9 {
			id, kind = fmt.Sprintf("p%d", i), "place"
		}
		if at[id] = i > 3 || m.IntN(2) == 0; at[id] {
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
				kind, id, object = "place", fmt.Sprintf("p%d", 10+m.IntN(2)), fields(false)
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

// randomStates calls do with the initial state, of nine items, of random modules.
func randomStates(t *testing.T, do func(m *randomBatched, s *eval.Spec, run *eval.Run, from *eval.State, text string)) {
	t.Helper()
	cfg, err := config.Parse("Random.cfg", []byte("INIT Init\nNEXT Next\nCONSTANT Id = {\"i8\", \"i9\", \"i10\"}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for seed := range exhaustive.Or(uint64(50), 1000) {
		m := &randomBatched{rand.New(rand.NewPCG(seed, 3))}
		file := filepath.Join(t.TempDir(), "Random.tla")
		var items []string
		for i := range 9 {
			items = append(items, fmt.Sprintf(`[id |-> "i%d", grp |-> %d, st |-> %q]`, i, m.IntN(2), m.one("a", "b")))
		}
		text := strings.NewReplacer("s = {}", "s = {"+strings.Join(items, ", ")+"}", `i \in {} |->`, `i \in {"a"} |->`).Replace(m.module())
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := eval.LoadSpec(file, cfg, eval.Options{})
		if err != nil {
			t.Fatal(err)
		}
		run := s.NewRun()
		if err := s.Initial(run, func(from *eval.State) bool {
			do(m, s, run.Fork(), from, text)
			return true
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRandomGoals: of a variable with goals, no step is left out that meets them.
func TestRandomGoals(t *testing.T) {
	t.Parallel()
	left, all := map[string]int{}, map[string]int{}
	randomStates(t, func(m *randomBatched, s *eval.Spec, run *eval.Run, from *eval.State, text string) {
		of := slices.Index(s.Variables, "s")
		was := from.Vals[of].(*value.Set)
		made := func(goals []eval.Goal) (list []*eval.State) {
			if err := s.MakesToward(run, from, goals, s.Nextly(), func(to *eval.State) bool {
				list = append(list, to)
				return true
			}); err != nil {
				t.Fatal(err)
			}
			return list
		}
		any := made(nil)
		one := func(list []value.Value) value.Value {
			if len(list) == 0 {
				return nil
			}
			return list[m.IntN(len(list))]
		}
		var kept, added []value.Value
		for _, e := range was.Each() {
			if m.IntN(4) > 0 {
				kept = append(kept, e)
			}
		}
		for _, to := range any {
			for _, e := range to.Vals[of].(*value.Set).Each() {
				if was.Index(e) < 0 {
					added = append(added, e)
				}
			}
		}
		for name, goal := range map[string]eval.Goal{
			"stay":    {Stay: value.NewSet(slices.Clone(kept))},
			"gone":    {Gone: one(was.Elems())},
			"come":    {Come: one(added)},
			"changes": {Changes: true},
			"all":     {Stay: value.NewSet(slices.Clone(kept)), Gone: one(was.Elems()), Come: one(added), Changes: true},
		} {
			goals := make([]eval.Goal, len(s.Variables))
			goals[of] = goal
			meeting := func(states []*eval.State) (list []string) {
				for _, to := range states {
					is := to.Vals[of].(*value.Set)
					stays := goal.Stay == nil || !slices.ContainsFunc(goal.Stay.Elems(), func(e value.Value) bool { return is.Index(e) < 0 })
					if stays && (goal.Gone == nil || is.Index(goal.Gone) < 0) && (goal.Come == nil || is.Index(goal.Come) >= 0) && (!goal.Changes || !value.Identical(was, is)) {
						list = append(list, value.Show(value.NewTuple(to.Vals...)))
					}
				}
				slices.Sort(list)
				return slices.Compact(list)
			}
			got := made(goals)
			if is, want := meeting(got), meeting(any); !slices.Equal(is, want) {
				t.Fatalf("%s: %d steps meet the goal, want %d\n%s", name, len(is), len(want), text)
			}
			left[name] += len(got)
			all[name] += len(any)
		}
	})
	for name := range all {
		if left[name] >= all[name] {
			t.Errorf("%s: of %d steps, %d are made", name, all[name], left[name])
		}
	}
}

// TestRandomMakes: what steps make of a set has elements that they can make.
func TestRandomMakes(t *testing.T) {
	t.Parallel()
	can, cannot := 0, 0
	randomStates(t, func(_ *randomBatched, s *eval.Spec, run *eval.Run, from *eval.State, text string) {
		of := slices.Index(s.Variables, "s")
		initial := from.Vals[of].(*value.Set)
		todo := []*eval.State{from}
		for range 3 {
			var next []*eval.State
			for _, at := range todo[:min(len(todo), 8)] {
				if err := s.Successors(run, at, func(to *eval.State) bool {
					next = append(next, to)
					return true
				}); err != nil {
					t.Fatal(err)
				}
			}
			for _, st := range next {
				for _, e := range st.Vals[of].(*value.Set).Each() {
					if can++; !s.CanMake(run.Fork(), of, initial, e) {
						t.Fatalf("%s is made\n%s", value.Show(e), text)
					}
				}
			}
			todo = next
		}
		st := s.Space.String("st")
		for _, to := range []string{"a", "b", "c", "d"} {
			if !s.CanMake(run, of, initial, value.With(initial.At(0), st, func(value.Value) value.Value { return s.Space.String(to) })) {
				cannot++
			}
		}
	})
	if can == 0 || cannot < exhaustive.Or(20, 50) {
		t.Errorf("%d elements are made, and %d cannot be made", can, cannot)
	}
}
