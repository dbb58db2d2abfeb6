package bind

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tracecheck/tlaplus/eval"
	"tracecheck/trace"
	"tracecheck/trace/codec"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// lockModule is the module of the tests.
const lockModule = "module: Lock.tla\n"

// loaded is a bind file beside the module, with what its cfg has more.
func loaded(t *testing.T, text, cfg string, o Options) *Bind {
	t.Helper()
	b, err := Load(written(t, text, cfg), o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// written writes the bind file beside copies of the module and its cfg.
func written(t *testing.T, text, more string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"Lock.tla", "Lock.cfg"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		if name == "Lock.cfg" {
			data = append(data, more...)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	name := filepath.Join(dir, "bind.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// events are those of a log's lines.
func events(t testing.TB, b *Bind, log string) []trace.Event {
	t.Helper()
	if b.Objects() {
		return validatorstest.Events(t, strings.Split(strings.TrimSpace(log), "\n")...)
	}
	d := b.Decoder()
	var list []trace.Event
	for i, line := range strings.Split(strings.TrimSpace(log), "\n") {
		var err error
		if list, err = d.Decode(list, []byte(line), trace.Pos{File: "log", Line: i + 1}); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

func judge(t *testing.T, b *Bind, log string, keepGoing bool) *validators.Result {
	t.Helper()
	r, err := validators.NewRunner(validators.Options{Specs: []*validators.Spec{b.Spec}, KeepGoing: keepGoing})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Push(events(t, b, log)); err != nil {
		bad, ok := err.(*trace.Error)
		if !ok {
			t.Fatal(err)
		}
		r.Fail(bad)
	}
	return r.Finish()
}

const calls = "event: e.op\n"

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		name, bind, cfg, log string
		want                 string // conforming, a part of why it is unusable, or rule:line
		place                string // of the nearest clause
		states               int
	}{
		{name: "arguments", bind: calls, want: "conforming", log: `
{"op":"Ask","args":["a"]}
{"op":"Grant"}
{"op":"Ask","args":["b"]}
{"op":"Release","args":["a"]}
{"op":"Grant"}
{"op":"Release","args":{"n":"b"}}`},
		{name: "a table and an operator of the file", bind: calls + "constants: {Of: '[srv1 |-> \"a\"]', Name(x): 'Of[x]'}\nactions: {Ask: Ask(Name(e.n))}\nobserve: {queue: '<<Of[e.n]>>'}\n", want: "Next:2", log: `
{"op":"Ask","n":"srv1"}
{"op":"Ask","n":"srv1"}`},
		{name: "an argument by another name", bind: calls, want: "the event \"Ask\" has no argument n", log: `
{"op":"Ask","args":{"m":"a"}}`},
		{name: "arguments that are none", bind: calls, want: "neither a sequence nor an object", log: `
{"op":"Ask","args":"a"}`},
		{name: "arguments of an action without any", bind: calls, want: "no action of that name (arguments of the line: 1, of the action: 0)", log: `
{"op":"Ask","args":["a"]}
{"op":"Grant","args":["b"]}`},
		{name: "a predicate is no action", bind: calls + "observe: {held: e.held, queue: e.queue, count: e.count}\nsets: [e.held]\n", want: "the event \"Init\" has no entry under actions", log: `
{"op":"Init","held":["a"],"queue":["b"],"count":{"a":7,"b":7,"c":7}}`},
		{name: "no arguments", bind: calls, want: "conforming", log: `
{"op":"Ask","args":null}
{"op":"Grant","args":[]}`},
		{name: "arguments that an entry does not read", bind: calls + "actions: {Ask: Ask(e.n)}\n", want: "conforming", log: `
{"op":"Ask","n":"a","args":"b"}`},
		{name: "half of a surrogate pair is no text", bind: calls, want: "has half of a surrogate pair", log: `
{"op":"Ask","args":["\ud800"]}`},
		{name: "a pair of surrogates is", bind: calls, want: "Next:2", log: `
{"op":"Ask","args":["\ud83d\ude00"]}
{"op":"Ask","args":["\ud83d\ude00"]}`},
		{name: "lines that tell nothing are not judged", bind: "event: e.name\nobserve: {queue: e.q}\n", want: "no step to judge", log: `
{"op":"Ask"}
{"op":"Ask"}`},
		{name: "a guard", bind: calls, want: "Next:3", place: "Lock.tla:10:14", log: `
{"op":"Ask","args":["a"]}
{"op":"Grant"}
{"op":"Ask","args":["a"]}`},
		{name: "names alone", bind: calls, want: "conforming", log: `
{"op":"Ask"}
{"op":"Ask"}
{"op":"Grant"}
{"op":"Release","args":["c"]}
{"op":"Grant"}
{"op":"Release","args":["b"]}`},
		{name: "names alone, of no order", bind: calls, want: "Next:4", log: `
{"op":"Ask"}
{"op":"Grant"}
{"op":"Release","args":["c"]}
{"op":"Release","args":["c"]}`},
		{name: "observed alone", bind: "observe: {held: e.held, queue: e.queue}\nsets: [e.held]\n", want: "conforming", log: `
{"queue":["a"]}
{"held":["a"],"queue":[]}
{"held":[]}`},
		{name: "observed, impossible", bind: "observe: {held: e.held, queue: e.queue}\nsets: [e.held]\n", want: "Next:2", log: `
{"queue":["a"]}
{"held":["b"]}`},
		{name: "cells and expressions", bind: calls + "observe: {'count[e.n]': e.count, 'Len(queue)': e.waiting}\n", want: "conforming", log: `
{"op":"Ask","args":["a"],"waiting":1}
{"op":"Grant","waiting":0}
{"op":"Release","args":["a"],"n":"a","count":1}`},
		{name: "a cell that differs", bind: calls + "observe: {'count[e.n]': e.count, 'Len(queue)': e.waiting}\n", want: "Next:3", place: "bind.yaml:3:12", log: `
{"op":"Ask","args":["a"],"waiting":1}
{"op":"Grant","waiting":0}
{"op":"Release","args":["a"],"n":"a","count":2}`},
		{name: "before", bind: calls + "before: {'Len(queue)': e.waiting}\n", want: "Next:2", place: "bind.yaml:3:11", log: `
{"op":"Ask","args":["a"],"waiting":0}
{"op":"Ask","args":["b"],"waiting":0}`},
		{name: "with and where", bind: calls + "actions: {got: {do: 'Release(m)', with: {m: held}, where: 'count[m] = e.was'}}\n", want: "Next:6", place: "bind.yaml:3:60", log: `
{"op":"Ask","args":["a"]}
{"op":"Grant"}
{"op":"got","was":0}
{"op":"Ask","args":["b"]}
{"op":"Grant"}
{"op":"got","was":1}`},
		{name: "stuttering and composition", bind: calls + "actions: {tick: UNCHANGED vars, take: 'Ask(e.n) \\cdot Grant'}\n", want: "Next:3", log: `
{"op":"tick"}
{"op":"take","n":"a"}
{"op":"take","n":"b"}`},
		{name: "silent steps", bind: calls + "silent: {actions: [Grant], depth: 1}\n", want: "conforming", log: `
{"op":"Ask","args":["a"]}
{"op":"Release","args":["a"]}
{"op":"Ask","args":["a"]}`},
		{name: "silent steps, too few", bind: calls + "silent: {actions: [Ask], depth: 1}\n", want: "Next:2", log: `
{"op":"Grant"}
{"op":"Grant"}`},
		{name: "header", bind: calls + "header: first line\nsets: [header.nodes]\nconstants: {Node: header.nodes, Max: '1 + 1'}\n", want: "Next:3", log: `
{"nodes":["x"]}
{"op":"Ask","args":["x"]}
{"op":"Release"}`},
		{name: "first state", bind: calls + "init: first line\nobserve: {held: e.held, queue: e.queue, count: e.count}\nsets: [e.held]\n", want: "conforming", log: `
{"held":["b"],"queue":["a"],"count":{"a":1,"b":1,"c":0}}
{"op":"Release","args":["b"],"count":{"a":1,"b":2,"c":0}}`},
		{name: "first state, in part", bind: calls + "init: first line\nobserve: {held: e.held}\nsets: [e.held]\n", want: "has no value for the variable queue", log: `
{"held":["b"]}`},
		{name: "streams", bind: calls + "stream: e.c\n", want: "Next:4", log: `
{"c":"x","op":"Ask","args":["a"]}
{"c":"y","op":"Ask","args":["a"]}
{"c":"x","op":"Grant"}
{"c":"x","op":"Grant"}`},
		{name: "stream of an expression", bind: calls + "stream: 'IF e.c > 1 THEN \"many\" ELSE \"one\"'\n", want: "conforming", log: `
{"c":3,"op":"Ask","args":["a"]}
{"c":1,"op":"Ask","args":["a"]}`},
		{name: "a header with the name of a line's function", bind: calls + "header: first line\nfunctions: [e.s]\nsets: [header.nodes]\nconstants: {Node: header.nodes}\nstream: 'IF \"c\" \\in DOMAIN e THEN e.c ELSE \"\"'\n", want: "Next:3", log: `
{"nodes":["x"],"s":[1,"a"]}
{"op":"Ask","args":["x"]}
{"op":"Release"}`},
		{name: "when", bind: calls + "when: e.tag = \"trace\"\n", want: "conforming", log: `
{"tag":"other","op":"Nothing"}
{"op":"Nothing"}
{"tag":"trace","op":"Ask","args":["a"]}`},
		{name: "null", bind: calls + "null: '\"none\"'\nactions: {set: 'e.v = \"none\" /\\ Ask(\"a\")'}\n", want: "conforming", log: `
{"op":"set","v":null}`},
		{name: "functions", bind: calls + "functions: [e.f, e.g]\nactions: {set: 'e.f[2] = \"x\" /\\ e.g[<<1>>] = 5 /\\ Ask(\"a\")'}\n", want: "conforming", log: `
{"op":"set","f":{"2":"x"},"g":[[[1],5]]}`},
		{name: "keys of a function that only resemble integers", bind: calls + "functions: [e.f]\nactions: {set: 'DOMAIN e.f = {\"01\", \"+1\", \"-0\"} /\\ Ask(\"a\")'}\n", want: "conforming", log: `
{"op":"set","f":{"01":1,"+1":2,"-0":3}}`},
		{name: "a set in a function", bind: calls + "functions: [e.f]\nsets: [e.f.q]\nactions: {set: 'e.f = [q |-> {1}, r |-> <<2>>] /\\ Ask(\"a\")'}\n", want: "conforming", log: `
{"op":"set","f":{"q":[1,1],"r":[2]}}`},
		{name: "a function of another kind of argument", bind: calls + "functions: [e.g]\nobserve: {'Len(queue)': 'e.g[1]'}\n", want: "conforming", log: `
{"op":"Ask","args":["a"],"g":[[[1],5]]}`},
		{name: "values that cannot be compared", bind: calls + "sets: [e.s]\nactions: {set: '1 \\in e.s /\\ Ask(\"a\")'}\n", want: "cannot be compared", log: `
{"op":"set","s":["x", 2]}`},
		{name: "lines that are no objects", bind: calls, want: "no step to judge", log: `
[1, 2]
"text"
null`},
		{name: "invariant", bind: calls, cfg: "INVARIANT Bounded\n", want: "Bounded:9", place: "Lock.tla:27:28", log: strings.Repeat(`
{"op":"Ask","args":["a"]}
{"op":"Grant"}
{"op":"Release","args":["a"]}`, 3)},
		{name: "a path that breaks nothing", bind: calls, cfg: "INVARIANT Bounded\n", want: "conforming", log: strings.Repeat(`
{"op":"Ask"}
{"op":"Grant"}
{"op":"Release"}`, 6)},
		{name: "all paths break it", bind: calls, cfg: "INVARIANT Bounded\n", want: "Bounded:21", log: strings.Repeat(`
{"op":"Ask"}
{"op":"Grant"}
{"op":"Release"}`, 7)},
		{name: "property", bind: calls, cfg: "PROPERTY Upwards\n", want: "Upwards:4", log: `
{"op":"Ask","args":["a"]}
{"op":"Grant"}
{"op":"Release","args":["a"]}
{"op":"Reset"}`},
		{name: "unknown event", bind: calls, want: `and Lock has no action of that name: add an entry`, log: `
{"op":"Aks","args":["a"]}`},
		{name: "evaluation error", bind: calls + "actions: {bad: 'count[e.n] = 0 /\\ Grant'}\n", want: "bind.yaml:3:17: the record has no field z: its fields are {\"a\", \"b\", \"c\"}", log: `
{"op":"bad","n":"z"}`},
		{name: "the bound", bind: "observe: {'Len(queue)': e.w}\n", want: "--max-states", states: 3, log: `
{"w":1}
{"w":2}
{"w":2}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := loaded(t, lockModule+c.bind, c.cfg, Options{MaxStates: c.states})
			r := judge(t, b, c.log, false)
			got := string(r.Verdict)
			switch {
			case len(r.Violations) > 0:
				v := &r.Violations[0]
				got = v.Rule + ":" + itoa(v.Line)
				if c.place != "" && (len(v.Nearest) == 0 || filepath.Base(v.Nearest[0].Places[0]) != c.place) {
					t.Errorf("nearest %+v, want the clause at %s", v.Nearest, c.place)
				}
			case r.Reason != "":
				got = r.Reason
			}
			if got != c.want && !(r.Reason != "" && strings.Contains(got, c.want)) {
				t.Errorf("%s, want %s", got, c.want)
			}
			resumed(t, b, c.log, r)
			plain, err := Load(b.file.name, Options{MaxStates: c.states, Without: ^eval.Shortcuts(0)})
			if err != nil {
				t.Fatal(err)
			}
			if p := judge(t, plain, c.log, false); !reflect.DeepEqual(p, r) {
				t.Errorf("%+v, without short cuts %+v", r, p)
			}
		})
	}
}

func itoa(n int) string { return strings.TrimPrefix(trace.Pos{Line: n}.String(), "line ") }

// resumed judges the log again: after each line the machine is written down, and a new
// one goes on. The same violations come of it.
func resumed(t *testing.T, b *Bind, log string, want *validators.Result) {
	t.Helper()
	machines := map[string]validators.Machine{}
	var rules []string
	for _, ev := range events(t, b, log) {
		m, err := b.machine(validators.Config{})
		if err != nil {
			t.Fatal(err)
		}
		if old := machines[ev.Stream]; old != nil {
			w := codec.Writer(nil)
			old.Persist(w)
			r := codec.Reader(w.Data())
			m.Persist(r)
			if err := r.Close(); err != nil {
				t.Fatalf("line %d: %v", ev.Pos.Line, err)
			}
		}
		machines[ev.Stream] = m
		found, _, err := m.Step(&trace.Step{Events: []trace.Event{ev}})
		if err != nil {
			break
		}
		for _, f := range found {
			rules = append(rules, f.Rule+":"+itoa(f.Pos.Line)+" "+f.Message)
		}
		if len(found) > 0 {
			break
		}
	}
	var once []string
	for _, v := range want.Violations {
		once = append(once, v.Rule+":"+itoa(v.Line)+" "+v.Message)
	}
	if strings.Join(rules, "\n") != strings.Join(once, "\n") {
		t.Errorf("resumed after each line: %q, at once: %q", rules, once)
	}
}

// A line that no step explains is taken as far as it gives values, and the next ones
// are judged from there.
func TestKeepGoing(t *testing.T) {
	b := loaded(t, lockModule+calls+"observe: {held: e.held}\nsets: [e.held]\n", "", Options{})
	r := judge(t, b, `
{"op":"Grant","held":["a"]}
{"op":"Release","args":["a"],"held":[]}
{"op":"Release","args":["a"]}`, true)
	var lines []string
	for _, v := range r.Violations {
		lines = append(lines, itoa(v.Line))
	}
	if got := strings.Join(lines, " "); got != "1 3" {
		t.Errorf("violations at the lines %s, want 1 3", got)
	}
}

// Streams are judged by several goroutines, each by itself: the result is the same.
func TestStreamsInParallel(t *testing.T) {
	b := loaded(t, lockModule+calls+"stream: e.c\n", "", Options{})
	var log []string
	for _, line := range []string{`"op":"Ask","args":["a"]`, `"op":"Ask"`, `"op":"Grant"`, `"op":"Grant"`} {
		for i := range 8 {
			log = append(log, `{"c":"s`+itoa(i+1)+`",`+line+`}`)
		}
	}
	var all []string
	for _, shards := range []int{1, 4} {
		r, err := validators.NewRunner(validators.Options{Specs: []*validators.Spec{b.Spec}, Shards: shards})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Push(events(t, b, strings.Join(log, "\n"))); err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, v := range r.Finish().Violations {
			text += v.Stream + ":" + itoa(v.Line) + " " + v.Message + "\n"
		}
		all = append(all, text)
	}
	if n := strings.Count(all[0], "\n"); n != 8 || all[0] != all[1] {
		t.Errorf("%d violations, want 8, and the same:\n%s\n%s", n, all[0], all[1])
	}
}

// A violation has the values, the state before and the lines that wrote it.
func TestReasons(t *testing.T) {
	b := loaded(t, lockModule+calls, "", Options{})
	r := judge(t, b, `
{"op":"Ask","args":["a"]}
{"op":"Grant"}
{"op":"Release","args":["b"]}`, false)
	if len(r.Violations) != 1 {
		t.Fatalf("%+v", r)
	}
	v := r.Violations[0]
	near := v.Nearest[0]
	if near.Action != "Release" || near.Failed[0] != `n \in held` || !strings.Contains(near.Values[0], `held = {"a"}`) {
		t.Errorf("nearest: %+v", near)
	}
	if len(v.State) != 1 || v.State[0].Name != "held" || v.State[0].Value != `{"a"}` {
		t.Errorf("state: %+v", v.State)
	}
	if len(v.History) != 1 || v.History[0].Line != 2 {
		t.Errorf("history: %+v", v.History)
	}
}

// ofModule is a bind file for a module of these units, with INIT and NEXT.
func ofModule(t *testing.T, name, units, text string) *Bind {
	t.Helper()
	dir := t.TempDir()
	for file, text := range map[string]string{
		name + ".tla": "---- MODULE " + name + " ----\n" + units + "\n====\n",
		name + ".cfg": "INIT Init\nNEXT Next\n",
		"bind.yaml":   "module: " + name + ".tla\n" + text,
	} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b, err := Load(filepath.Join(dir, "bind.yaml"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestStateHasNoFilter: what cannot be enumerated is no part of a state, as in TLC; a
// checkpoint could not keep it.
func TestStateHasNoFilter(t *testing.T) {
	b := ofModule(t, "Parts", `EXTENDS Integers
VARIABLE x
Init == x = {}
Large == {s \in SUBSET (1..40) : 1 \in s}
Some == x' = [a |-> {n \in {1, 2} : n > 1}]
Nats == x' = [a |-> {n \in Nat : n > 1}]
Sets == x' = <<1, Large>>
Each == x' \in {<<Large>>}
Has == {1} \in Large /\ x' = {1}
Next == Some \/ Nats \/ Sets \/ Each \/ Has`, "event: e.op\n")
	for ops, want := range map[string]validators.Verdict{"Some": validators.Conforming, "Has": validators.Conforming,
		"Nats": validators.Unusable, "Sets": validators.Unusable, "Each": validators.Unusable,
		"Has Sets": validators.Unusable} { // the value of Large is known
		log := `{"op":"` + strings.ReplaceAll(ops, " ", "\"}\n{\"op\":\"") + `"}`
		if r := judge(t, b, log, false); r.Verdict != want {
			t.Errorf("%s: %s %s, want %s", ops, r.Verdict, r.Reason, want)
		}
	}
}

// TestAssumptionRecursive: an assumption is judged, also where it has a recursive operator.
func TestAssumptionRecursive(t *testing.T) {
	b := ofModule(t, "Weights", `EXTENDS Integers, Sequences
CONSTANT W
VARIABLE x
RECURSIVE Sum(_)
Sum(s) == IF s = <<>> THEN 0 ELSE Head(s) + Sum(Tail(s))
ASSUME Sum(W) = 10
Init == x = 0
Next == x' = x + 1`, "header: first line\nevent: e.op\nconstants: {W: header.w}\n")
	for w, want := range map[string]validators.Verdict{"3,7": validators.Conforming, "3,4": validators.Unusable} {
		if r := judge(t, b, `{"w":[`+w+`]}`+"\n"+`{"op":"Next"}`, false); r.Verdict != want {
			t.Errorf("%s: %s %s, want %s", w, r.Verdict, r.Reason, want)
		}
	}
}

// TestReasonEndsWithError: no step explains the line, and the explanation looks at a guard that
// the search did not need, and that is an error.
func TestReasonEndsWithError(t *testing.T) {
	b := ofModule(t, "Tasks", `EXTENDS Integers
VARIABLE tasks
up == [n \in {"n1"} |-> TRUE]
Init == tasks = {[id |-> i, node |-> IF i = 1 THEN "n1" ELSE "none", state |-> "new"] : i \in 1..40}
Start == \E t \in tasks : up[t.node] /\ tasks' = (tasks \ {t}) \union {[t EXCEPT !.state = "running"]}
Next == Start`, "event: e.op\nobserve: {tasks: e.tasks}\nsets: [e.tasks]\n")
	var tasks []string
	for i := range 40 {
		node, state := "none", "new"
		if i == 0 {
			node = "n1"
		}
		if i < 2 {
			state = "running"
		}
		tasks = append(tasks, fmt.Sprintf(`{"id":%d,"node":%q,"state":%q}`, i+1, node, state))
	}
	r := judge(t, b, `{"op":"Start","tasks":[`+strings.Join(tasks, ",")+`]}`, false)
	if len(r.Violations) != 1 || !strings.Contains(r.Violations[0].Message, "the explanation ends with an error") {
		t.Fatalf("%+v", r)
	}
}

// A fault is reported once.
func TestFaultOnce(t *testing.T) {
	_, err := Load(written(t, lockModule+calls+calls, ""), Options{})
	if err == nil || strings.Count(err.Error(), "twice") != 1 {
		t.Errorf("%v", err)
	}
	_, err = Load(written(t, lockModule+"silent: {actions: [Grnt]}\n", ""), Options{})
	if err == nil || strings.Count(err.Error(), "bind.yaml:2:") != 1 {
		t.Errorf("%v", err)
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct{ text, cfg, want string }{
		{"", "", "the file is empty"},
		{"event: e.op\n", "", "bind.yaml:1: the file names no module"},
		{lockModule + "colour: 1\nwhen: e.x +\n", "", "bind.yaml:2: the file has no key \"colour\""},
		{lockModule + "colour: 1\nwhen: e.x +\n", "", "bind.yaml:3:12: found the end of the text, expected an expression\n  when: e.x +\n             ^"},
		{lockModule + "observe:\n  'quue[e.x]': e.y\n", "", "bind.yaml:3:4: quue is not defined; did you mean queue?\n    'quue[e.x]': e.y\n     ^^^^"},
		{lockModule + "when: |\n  /\\ e.x = 1\n  /\\ e.y = Foo\n", "", "bind.yaml:4:12: Foo is not defined\n    /\\ e.y = Foo\n             ^^^"},
		{lockModule + "constants: {A: B + 1, B: A}\n", "", "bind.yaml:2:16: A is defined by itself\n"},
		{lockModule + "constants: {Node: '{n \\in Node : TRUE}'}\n", "", "bind.yaml:2:20: Node is defined by itself"},
		{lockModule + "constants: {Max: 'Cardinality(Of(1))', Of(x): 'Bounded'}\n", "", "Max is defined by itself"},
		{lockModule + "constants: {held: '{}'}\n", "", "bind.yaml:2:20: held is a variable of the module"},
		{lockModule + "null: '3'\n", "", "bind.yaml:2:8: null is a string, or the name of a model value\n  null: '3'\n         ^"},
		{lockModule + "stream: held\n", "", "bind.yaml:2:9: this is about the line"},
		{lockModule + "when: e.x'\nevent: queue\n", "", "bind.yaml:3:8: this is about the line"},
		{lockModule + "order: {clock: queue, node: e.n}\n", "", "bind.yaml:2:16: this is about the line"},
		{lockModule + "init: queue' = <<>>\n", "", "bind.yaml:2:7: this is about one state"},
		{lockModule + "null: None\nconstants: {None: '\"none\"'}\n", "", "bind.yaml:2:7: None is defined, as \"none\": write that value"},
		{lockModule + "constants: {Clients: {\"a\"}}\n", "", "bind.yaml:2: Clients is a TLA+ expression, not a mapping: write a set, a record or a sequence in quotes"},
		{lockModule + "init: queue = e.q\n", "", "bind.yaml:2:15: e is not defined"},
		{lockModule + "before: {queue: \"queue'\"}\n", "", "bind.yaml:2:18: this is about one state"},
		{lockModule + "silent: {depth: 3}\n", "", "bind.yaml:2: silent has actions"},
		{lockModule + "silent: {actions: [Grant, Ask(e.n)]}\n", "", "bind.yaml:2:27: no line records a silent step"},
		{lockModule + "silent: {actions: [Holds]}\n", "", "bind.yaml:2:20: Holds takes 1"},
		{lockModule + "objects: {x: {}}\nwhole: [held, hold]\n", "", "bind.yaml:3:15: whole has variables of the module\n  whole: [held, hold]\n                ^^^^"},
		{lockModule + "order: {clock: e.vc}\n", "", "bind.yaml:2: order has a clock and a node"},
		{lockModule + "sets: [f.x]\n", "", `bind.yaml:2: "f.x" is not a path`},
		{lockModule + "preset: other\n", "", `there is no preset "other"`},
		{lockModule + "silent: {actions: [Grant], depth: 0}\n", "", "bind.yaml:2: depth is a number from 1 to 100"},
		{lockModule + "actions: {x: {where: 'TRUE'}}\n", "", "the action of x has no do"},
		{lockModule, "PROPERTY Soon\n", "Soon is not defined"},
		{"module: Missing.tla\n", "", "Missing.tla"},
	} {
		_, err := Load(written(t, c.text, c.cfg), Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

// A checker says what lines tell.
func TestChecker(t *testing.T) {
	b := loaded(t, lockModule+calls+"observe: {held: e.held}\n", "", Options{})
	c := b.Checker()
	var got []string
	for _, ev := range events(t, b, `
{"op":"Ask","args":["a"],"held":[]}
{"op":"Release"}
{"held":[]}
{"op":"Nope"}
{"op":"Nope"}`) {
		text, err := c.Line(&ev)
		if err != nil {
			text = "error"
		}
		got = append(got, text)
	}
	if want := `Ask("a"); after it held|Release, with any arguments|any step; after it held|error|error`; strings.Join(got, "|") != want {
		t.Errorf("%q", got)
	}
	c.Done()
	if c.Counts[0].Event != "Nope" || c.Counts[0].Lines != 2 || c.Counts[0].First.Line != 4 || c.Counts[0].Fault == "" {
		t.Errorf("%+v", c.Counts)
	}
}
