package bind

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/tlaplus/config"
	"tracecheck/tlaplus/eval"
	"tracecheck/tlaplus/value"
	"tracecheck/validators"
)

// TestRandomModules judges logs of random modules with all short cuts, and without any. The
// verdicts have to be the same. The sets of the modules are large enough for each short cut.
// TRACECHECK_EXHAUSTIVE=1 judges more modules, also without each single one;
// TRACECHECK_RANDOM_MODULES=FROM-TO chooses some.
func TestRandomModules(t *testing.T) {
	t.Parallel()
	from, to := exhaustive.Or(uint64(7), 1), exhaustive.Or(uint64(10), 25)
	if a, b, ok := strings.Cut(os.Getenv("TRACECHECK_RANDOM_MODULES"), "-"); ok {
		from, _ = strconv.ParseUint(a, 10, 64)
		to, _ = strconv.ParseUint(b, 10, 64)
	}
	judged, violations := 0, 0
	for seed := from; seed <= to; seed++ {
		m := &randomModule{Rand: rand.New(rand.NewPCG(seed, 1))}
		dir := t.TempDir()
		m.write(t, dir)
		log := m.log(t, dir, 30)
		want, found := verdictOf(t, dir, log, ^eval.Shortcuts(0))
		last := eval.Shortcuts(0)
		if to-from > 4 {
			last = eval.LastShortcut
		}
		for bit := eval.Shortcuts(0); bit <= last; bit = max(1, bit<<1) {
			if got, _ := verdictOf(t, dir, log, bit); got != want && !strings.HasPrefix(want, "unusable") {
				module, _ := os.ReadFile(filepath.Join(dir, "Random.tla"))
				t.Errorf("seed %d, without %b\ngot:  %s\nwant: %s\n%s", seed, bit, got, want, module)
				break
			}
		}
		if !strings.HasPrefix(want, "unusable") {
			judged++
		}
		violations += found
		t.Logf("seed %d: %s", seed, want)
	}
	if judged < int(to-from+1)/2 || violations == 0 {
		t.Errorf("%d judged, %d violations: too few to compare", judged, violations)
	}
}

// verdictOf is the verdict with each violation's line and rule.
func verdictOf(t *testing.T, dir, log string, without eval.Shortcuts) (verdict string, violations int) {
	t.Helper()
	b, err := Load(filepath.Join(dir, "bind.yaml"), Options{Without: without, MaxStates: 20_000})
	if err != nil {
		t.Fatal(err)
	}
	r := judge(t, b, log, true)
	verdict = string(r.Verdict)
	for _, v := range r.Violations {
		verdict += fmt.Sprintf(" %d:%s", v.FirstLine, v.Rule)
	}
	if r.Verdict == validators.Unusable {
		verdict = "unusable: " + r.Reason
	}
	return verdict, len(r.Violations)
}

// randomModule makes a module, a bind file and a log.
type randomModule struct {
	*rand.Rand
	actions int
	bound   int
}

func (m *randomModule) one(of ...string) string { return of[m.IntN(len(of))] }

func (m *randomModule) name() string {
	m.bound++
	return fmt.Sprintf("v%d", m.bound)
}

// cond is a condition over a record of s, and over the variables.
func (m *randomModule) cond(depth int, r string) string {
	if depth == 0 {
		return m.one(
			r+`.st = "a"`, r+`.st # "c"`, r+`.st \in {"a", "b"}`, r+`.n < `+m.one("1", "2", "3"), r+`.grp \in {0, 2}`,
			`f[`+r+`.id] < `+m.one("1", "3"), `x < 20`, `x % 2 = 0`, `TRUE = Busy(`+r+`.grp)`, r+`.id \notin Range(q)`, `Good(`+r+`)`)
	}
	other := m.name()
	set := m.one("s", `Of(`+r+`.grp)`, `Of(`+r+`.grp) \ {`+r+`}`, `{u \in s : u.st = `+r+`.st}`, `{u \in Of(`+r+`.grp) : u.n = `+r+`.n}`)
	switch m.IntN(9) {
	case 0:
		return "(" + m.cond(depth-1, r) + ` /\ ` + m.cond(depth-1, r) + ")"
	case 1:
		return "(TRUE = (" + m.cond(depth-1, r) + ` \/ ` + m.cond(depth-1, r) + "))" // not a step for each disjunct
	case 2:
		return "~(" + m.cond(depth-1, r) + ")"
	case 3:
		return `(\A ` + other + ` \in ` + set + " : " + m.one(m.cond(depth-1, other), other+`.id = `+r+`.id => `+other+`.n = `+r+`.n`) + ")"
	case 4:
		return `(TRUE = \E ` + other + ` \in ` + set + " : " + m.cond(depth-1, other) + ")" // not a step for each witness
	case 5:
		return "Cardinality(" + set + ")" + m.one(" > 1", " < 12", " <= Len(q) + 9")
	case 6:
		return "Cardinality({" + other + ` \in ` + set + " : " + m.cond(depth-1, other) + "})" + m.one(" > 0", " < 8")
	case 7:
		g := m.name()
		return `(\A ` + other + ` \in ` + set + `, ` + g + ` \in Groups : ` + other + `.grp = ` + g + ` => ` + m.cond(depth-1, other) + ")"
	}
	return m.cond(0, r)
}

// changed is a record like r, with another value of a field.
func (m *randomModule) changed(r string) string {
	return "[" + r + " EXCEPT " + m.one(`!.st = "a"`, `!.st = "b"`, `!.st = "c"`, `!.n = @ + 1`, `!.n = (@ + 1) % 3, !.st = "b"`, `!.grp = (@ + 1) % 4`,
		`!.n = Cardinality(Of(`+r+`.grp))`, `!.st = IF @ = "a" THEN "b" ELSE "a"`) + "]"
}

// action is the body of an action, over four lines or fewer.
func (m *randomModule) action() string {
	r, g, id := m.name(), m.name(), m.name()
	free := map[string]bool{"s": true, "f": true, "q": true, "x": true}
	set := func(v, to string) string {
		delete(free, v)
		return v + "' = " + to
	}
	guard := func() string { return m.cond(m.IntN(3), r) }
	var text string
	switch m.IntN(11) {
	case 0:
		text = `\E ` + r + ` \in s : ` + guard() + ` /\ ` + set("s", `(s \ {`+r+`}) \union {`+m.changed(r)+`}`)
	case 1:
		text = `\E ` + g + ` \in Groups : LET cur == {` + r + ` \in Of(` + g + `) : ` + guard() + `} IN Cardinality(cur) > ` + m.one("0", "2") + ` /\ ` +
			set("s", `{IF t \in cur THEN `+m.changed("t")+` ELSE t : t \in s}`)
	case 2:
		text = `\E ` + g + ` \in Groups : \E ` + r + ` \in {t \in Of(` + g + `) : t.n < 3} : ` + guard() + ` /\ ` + set("s", `s \ {`+r+`}`)
	case 3:
		text = `\E ` + id + ` \in K \ {t.id : t \in s} : \E ` + g + ` \in 0 .. 3 : ` + m.one(`TRUE = Busy(`+g+`)`, `x % 4 = `+g, "TRUE") + ` /\ ` +
			set("s", `s \union {[id |-> `+id+`, grp |-> `+g+`, st |-> "a", n |-> 0]}`)
	case 4:
		text = `\E ` + id + ` \in K : f[` + id + `] < 4 /\ ` + m.one("TRUE", `(\A t \in s : t.id = `+id+` => t.st # "c")`, id+` \in {t.id : t \in s}`) + ` /\ ` +
			set("f", "[f EXCEPT !["+id+"] = @ + 1]")
	case 5:
		text = `\E ` + r + ` \in s : ` + guard() + ` /\ Len(q) < 4 /\ ` + set("q", "Append(q, "+r+".id)") + ` /\ ` + set("f", "[f EXCEPT !["+r+".id] = "+r+".n]")
	case 6:
		text = `Len(q) > 0 /\ (\E ` + r + ` \in s : ` + r + `.id = Head(q) /\ ` + set("s", `(s \ {`+r+`}) \union {`+m.changed(r)+`}`) + `) /\ ` + set("q", "Tail(q)")
	case 7:
		text = `\E ` + g + ` \in SUBSET {t \in s : t.id < 3} : Cardinality(` + g + `) > 0 /\ ` + set("s", `s \ `+g)
	case 8:
		text = `\E ` + g + ` \in Groups : ` + m.one("TRUE = Busy("+g+")", "TRUE") + ` /\ (TRUE = \E ` + r + ` \in Of(` + g + `) : ` + guard() + `) /\ Update([t \in Of(` + g + `) |-> ` + m.changed("t") + `])`
		delete(free, "s")
	case 9:
		text = `\E ` + r + ` \in s : ` + guard() + ` /\ Update(` + r + ` :> ` + m.changed(r) + `)`
		delete(free, "s")
	default:
		text = `\E ` + r + ` \in s, ` + id + ` \in K : ` + guard() + ` /\ (\A t \in s : t.id # ` + id + `) /\ ` +
			set("s", `(s \ {`+r+`}) \union {`+m.changed(r)+`, [`+r+` EXCEPT !.id = `+id+`]}`)
	}
	if m.IntN(2) == 0 {
		text += ` /\ ` + set("x", m.one("x + 1", "x + 1", "(x + 1) % 9", "x"))
	}
	var same []string
	for _, v := range []string{"s", "f", "q", "x"} {
		if free[v] {
			same = append(same, v)
		}
	}
	if m.IntN(2) == 0 {
		return `(` + text + `) /\ UNCHANGED <<` + strings.Join(same, ", ") + ">>"
	}
	return `UNCHANGED <<` + strings.Join(same, ", ") + `>> /\ (` + text + `)`
}

// write writes the module, its cfg and the bind file.
func (m *randomModule) write(t *testing.T, dir string) {
	m.actions = 3 + m.IntN(5)
	var text, next, calls, initial strings.Builder
	for i := range 36 {
		if i > 0 {
			initial.WriteString(", ")
		}
		fmt.Fprintf(&initial, `[id |-> %d, grp |-> %d, st |-> "%s", n |-> %d]`, i+1, m.IntN(4), m.one("a", "b", "c"), m.IntN(3))
	}
	fmt.Fprintf(&text, `---- MODULE Random ----
EXTENDS Integers, Sequences, FiniteSets, TLC
VARIABLES s, f, q, x
K == 1 .. 40
Range(g) == {g[i] : i \in DOMAIN g}
Of(g) == {r \in s : r.grp = g}
Groups == {r.grp : r \in s}
Busy(g) == \E r \in Of(g) : r.st = "a"
Good(r) == %s
Update(m) == s' = (s \ DOMAIN m) \union {m[t] : t \in DOMAIN m}
Init == s = {%s} /\ f = [i \in K |-> i %% 3] /\ q = <<>> /\ x = 0
`, `r.st = "c" => r.n = 0`, initial.String())
	for i := range m.actions {
		fmt.Fprintf(&text, "A%d == %s\n", i, m.action())
		fmt.Fprintf(&next, ` \/ A%d`, i)
		fmt.Fprintf(&calls, "  A%d: A%d\n", i, i)
	}
	fmt.Fprintf(&text, "Next ==%s\nInv0 == \\A r \\in s : %s\nInv1 == \\A g \\in Groups : \\E r \\in Of(g) : %s\n", next.String(), m.cond(2, "r"), m.cond(1, "r"))
	fmt.Fprintf(&text, "Inv2 == \\A r \\in s : r.id \\in K /\\ r.grp \\in 0 .. 3 /\\ r.n \\in Nat\nKeeps == [][\\A r \\in s : \\A t \\in s' : t.id = r.id => t.n >= r.n]_<<s>>\n====\n")
	for name, text := range map[string]string{
		"Random.tla": text.String(),
		"Random.cfg": "INIT Init\nNEXT Next\nINVARIANTS Inv0 Inv1 Inv2\nPROPERTY Keeps\n",
		"bind.yaml":  "module: Random.tla\ninit: first line\nevent: e.event\nargs: <<>>\nactions:\n" + calls.String() + "observe: {s: e.s, f: e.f, q: e.q, x: e.x}\nsets: [e.s]\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// log is a walk, of which some lines say what has not been.
func (m *randomModule) log(t *testing.T, dir string, lines int) string {
	cfg, err := config.Parse("Random.cfg", []byte("INIT Init\nNEXT Next\n"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := eval.LoadSpec(filepath.Join(dir, "Random.tla"), cfg, eval.Options{})
	if err != nil {
		t.Fatal(err)
	}
	run := s.Program.NewRun()
	var at *eval.State
	if err := s.Initial(run, func(st *eval.State) bool { at = st; return false }); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString(m.line("", at, 0))
	for range lines {
		type step struct {
			to   *eval.State
			name string
		}
		steps := map[string][]step{}
		var names []string
		if err := s.Ways(run, at, func(st *eval.State, w eval.Way) bool {
			if steps[w.Action.Name] == nil {
				names = append(names, w.Action.Name)
			}
			steps[w.Action.Name] = append(steps[w.Action.Name], step{st, w.Action.Name})
			return len(steps[w.Action.Name]) < 500
		}); err != nil {
			t.Fatal(err)
		}
		if len(names) == 0 {
			break
		}
		of := steps[m.one(names...)]
		to := of[m.IntN(len(of))]
		at = to.to
		name := to.name
		if m.IntN(20) == 0 {
			name = fmt.Sprintf("A%d", m.IntN(m.actions))
		}
		b.WriteString(m.line(name, at, 8))
	}
	return b.String()
}

var fieldName = regexp.MustCompile(`(\w+) \|->`)

// line is a line with the state after the step: some values are left out or changed, each
// with that probability in a hundred.
func (m *randomModule) line(event string, st *eval.State, percent int) string {
	text := "{"
	if event != "" && m.IntN(100) >= percent {
		text += fmt.Sprintf(`"event":%q,`, event)
	}
	for i, v := range []string{"s", "f", "q", "x"} {
		if m.IntN(100) < percent && v != "s" {
			continue
		}
		v1 := st.Vals[i]
		if v == "f" { // it may be a function that is not evaluated yet
			list := make([]value.Value, 40)
			for k := range list {
				list[k] = value.Apply(v1, value.Int(k+1))
			}
			v1 = &value.Tuple{Elems: list}
		}
		is := fieldName.ReplaceAllString(string(value.Append(nil, v1)), `"$1":`)
		is = strings.NewReplacer("<<", "[", ">>", "]", "[", "{", "]", "}", "{", "[", "}", "]").Replace(is)
		if m.IntN(200) < percent {
			is = strings.Replace(is, m.one(`"n":1`, `"st":"a"`, `"n":0`), m.one(`"n":2`, `"n":0`), 1)
			is = strings.Replace(is, `"n":2,"n":`, `"n":`, 1)
		}
		text += fmt.Sprintf("%q:%s,", v, is)
	}
	return strings.TrimSuffix(text, ",") + "}\n"
}
