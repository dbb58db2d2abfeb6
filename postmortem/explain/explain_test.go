package explain_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"tracecheck/postmortem/explain"
	"tracecheck/specs"
	"tracecheck/trace"
	"tracecheck/validators"
)

// input is a trace of one file, or of several that a line "== NAME" begins.
func input(t *testing.T, text string) explain.Input {
	t.Helper()
	var events []trace.Event
	pos := trace.Pos{File: "t"}
	for line := range strings.Lines(strings.TrimSpace(text)) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "== "); ok {
			pos = trace.Pos{File: name}
			continue
		}
		pos.Line++
		var d trace.Decoder
		var ev trace.Event
		if err := d.Decode([]byte(line), pos, &ev); err != nil {
			t.Fatal(err)
		}
		events = append(events, ev)
	}
	return func(push func([]trace.Event) error) error {
		for i := 0; i < len(events); i += 2 { // in blocks of two
			if err := push(events[i:min(i+2, len(events))]); err != nil {
				return err
			}
		}
		return nil
	}
}

func explained(t *testing.T, text string, opts explain.Options) []explain.Account {
	t.Helper()
	opts.Judge.Specs = specs.All()
	accounts, _, err := explain.Explain(input(t, text), opts)
	if err != nil {
		t.Fatal(err)
	}
	return accounts
}

// cause is a guard's cause in one line: the lines that made it fail, and what it
// saw before and then.
func seen(g *explain.Guard) string {
	if !g.Turned {
		return g.Clause + ": never held"
	}
	var at []string
	for _, ev := range g.Events {
		at = append(at, fmt.Sprintf("%s:%d", ev.File, ev.Line))
	}
	what := "step"
	if g.Snapshots {
		what = "snapshots"
	}
	return fmt.Sprintf("%s: %s %s: %s -> %s", g.Clause, what, strings.Join(at, " "), g.Held, g.Since)
}

func causes(j *explain.Judgement, action string) (list []string) {
	for i := range j.Causes {
		if j.Causes[i].Action != action {
			continue
		}
		for k := range j.Causes[i].Guards {
			list = append(list, seen(&j.Causes[i].Guards[k]))
		}
	}
	return list
}

func check(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s:\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The step of line 7 takes a task back from its node, which no action does.
const turned = `
{"kind":"node","op":"snapshot","id":"n1","object":{"state":"up"}}
{"kind":"service","op":"create","id":"web","object":{"replicas":1,"remove":false}}
{"tx":1,"kind":"task","op":"create","id":"t1","object":{"service":"web","slot":1,"node":"","state":"new","desired_state":"running"}}
{"kind":"task","op":"update","id":"t1","object":{"state":"pending"}}
{"kind":"task","op":"update","id":"t1","object":{"state":"assigned","node":"n1"}}
{"kind":"task","op":"update","id":"t1","object":{"rack":7}}
{"tx":2,"kind":"task","op":"update","id":"t1","object":{"state":"assigned","node":""}}
{"kind":"task","op":"update","id":"t1","object":{"state":"rejected"}}
`

func TestCause(t *testing.T) {
	a := explained(t, turned, explain.Options{After: 3})
	if len(a) != 1 || a[0].First.Line != 7 || a[0].Last.Line != 7 || len(a[0].Violations) == 0 {
		t.Fatalf("got %+v, want one step, of line 7", a)
	}
	h := a[0].Objects[0]
	if len(a[0].Objects) != 1 || h.Kind != "task" || h.ID != "t1" || len(h.Before) != 4 || h.Before[3].Line != 6 || len(h.After) != 1 || h.After[0].Line != 8 {
		t.Errorf("histories are %+v", a[0].Objects)
	}
	if c := a[0].Changes; len(c) != 1 || string(c[0].Before) != `{"service":"web","slot":1,"node":"n1","state":"assigned","desired_state":"running","rack":7}` ||
		string(c[0].After) != `{"service":"web","slot":1,"node":"","state":"assigned","desired_state":"running","rack":7}` {
		t.Errorf("changes are %s", c)
	}
}

// The clause turns once with each state; what counts is the last time before the
// step, whether that is a line of its own or the end of a transaction.
func TestLastTurn(t *testing.T) {
	for name, tx := range map[string]string{"line": ``, "transaction": `"tx":9,`} {
		a := explained(t, fmt.Sprintf(`
{"kind":"node","op":"snapshot","id":"n1","object":{"state":"up"}}
{"kind":"service","op":"create","id":"web","object":{"replicas":1,"remove":false}}
{"kind":"task","op":"create","id":"t1","object":{"service":"web","slot":1,"node":"","state":"new","desired_state":"running"}}
{"kind":"task","op":"update","id":"t1","object":{"state":"pending"}}
{"kind":"task","op":"update","id":"t1","object":{"state":"assigned","node":"n1"}}
{"kind":"node","op":"update","id":"n1","object":{"state":"down"}}
{"kind":"node","op":"update","id":"n1","object":{"state":"up"}}
{"tx":1,"kind":"node","op":"update","id":"n1","object":{"state":"down"}}
{%s"kind":"task","op":"update","id":"t1","object":{"state":"accepted"}}
`, tx), explain.Options{})
		if len(a) != 1 || len(a[0].Judged) != 1 {
			t.Fatalf("%s: got %+v", name, a)
		}
		check(t, name, causes(&a[0].Judged[0], "ProgressTask"), `IsUp(t.node): step t:8: nodes[n1] = up -> nodes[n1] = down`)
		for _, p := range a[0].Judged[0].Parts {
			if len(p.Attempts) < 5 || p.Attempts[0].Action != "ProgressTask" || len(p.Attempts[0].Clauses) != 5 {
				t.Errorf("%s: attempts are %+v", name, p.Attempts)
			}
		}
	}
}

// A guard that no earlier state satisfied states so; snapshots can be the cause,
// too.
func TestOtherCauses(t *testing.T) {
	a := explained(t, `
{"kind":"service","op":"snapshot","id":"web","object":{"replicas":1,"remove":false}}
{"kind":"task","op":"snapshot","id":"t1","object":{"service":"web","slot":1,"node":"","state":"new","desired_state":"running"}}
{"kind":"service","op":"delete","id":"web"}
`, explain.Options{})
	check(t, "from the start", causes(&a[0].Judged[0], "CleanupService"), `services[sid].remove = TRUE: never held`, `TasksOf(sid) = {}: never held`)

	a = explained(t, `
{"kind":"service","op":"create","id":"web","object":{"replicas":1,"remove":false}}
{"kind":"service","op":"update","id":"web","object":{"replicas":2}}
{"kind":"node","op":"snapshot","id":"n1","object":{"state":"up"}}
{"kind":"task","op":"snapshot","id":"t1","object":{"service":"web","slot":1,"node":"","state":"new","desired_state":"running"}}
{"kind":"service","op":"delete","id":"web"}
`, explain.Options{})
	check(t, "snapshots", causes(&a[0].Judged[0], "CleanupService"),
		`services[sid].remove = TRUE: never held`, `TasksOf(sid) = {}: snapshots t:4: 0 tasks -> 1 task`)
}

// A step of very many lines is tried by its line alone.
func TestManyLines(t *testing.T) {
	var text strings.Builder
	text.WriteString(`{"kind":"meta","object":{"format":1,"steps":"batched"}}
{"kind":"service","op":"create","id":"web","object":{"replicas":1,"remove":false}}
{"kind":"service","op":"update","id":"web","object":{"replicas":0}}
`)
	for i := range 100 {
		fmt.Fprintf(&text, `{"tx":1,"kind":"task","op":"create","id":"t%d","object":{"service":"web","slot":%d,"node":"","state":"new","desired_state":"running"}}`+"\n", i, i+1)
	}
	a := explained(t, text.String(), explain.Options{})
	if len(a) != 1 || a[0].Total != 100 || len(a[0].Events) != validators.MaxChanges || len(a[0].Objects) != explain.MaxObjects || a[0].MoreObjects != 80 {
		t.Fatalf("got %+v", a)
	}
	if c := a[0].Judged[0].Causes; len(c) == 0 || !c[0].Alone {
		t.Fatalf("causes are %+v", c)
	}
	check(t, "replicas", causes(&a[0].Judged[0], "CreateSlot"),
		`IsReplicated(sid) => services[sid].replicas > Cardinality(VSlotsOf(sid)): step t:3: replicas = 1, slots = 0 -> replicas = 0, slots = 0`)
}

// A step that conforms has the action that explains it, with its clauses.
func TestConforming(t *testing.T) {
	a := explained(t, turned, explain.Options{Line: trace.Pos{File: "t", Line: 5}})
	if len(a) != 1 || len(a[0].Violations) != 0 || len(a[0].Judged) != 1 {
		t.Fatalf("got %+v", a)
	}
	j := a[0].Judged[0]
	check(t, "by", j.By, "Scheduler")
	if n, _ := j.Parts[0].Attempts[0].Failed(); j.Spec != "swarmkit" || j.Parts[0].Attempts[0].Action != "Scheduler" || n != 0 || j.Causes != nil {
		t.Errorf("got %+v", j)
	}
	a = explained(t, turned, explain.Options{Line: trace.Pos{File: "t", Line: 8}}) // past the violation
	if len(a) != 1 || a[0].First.Line != 8 {
		t.Errorf("got %+v, want the step of line 8", a)
	}
}

// Streams have nothing to do with each other, and files go on from one another.
func TestStreams(t *testing.T) {
	const two = `
== a
{"stream":"x","kind":"service","op":"create","id":"web","object":{"replicas":1,"remove":false}}
{"stream":"y","kind":"service","op":"create","id":"web","object":{"replicas":1,"remove":false}}
{"stream":"y","tx":1,"kind":"service","op":"delete","id":"web"}
== b
{"stream":"x","kind":"service","op":"update","id":"web","object":{"replicas":3}}
{"stream":"x","kind":"service","op":"delete","id":"web"}
`
	a := explained(t, two, explain.Options{})
	if len(a) != 2 || a[0].Stream != "y" || a[1].Stream != "x" || a[1].First.File != "b" || a[1].First.Line != 2 || len(a[1].Objects[0].Before) != 2 {
		t.Errorf("got %+v", a)
	}
	check(t, "y", causes(&a[0].Judged[0], "CleanupService"), `services[sid].remove = TRUE: never held`)
	if a := explained(t, two, explain.Options{Stream: "x", Only: true}); len(a) != 1 || a[0].Stream != "x" {
		t.Errorf("of stream x: got %+v", a)
	}
}

// Snapshots that break a rule have no step; the object in question has its
// history.
func TestBrokenSnapshots(t *testing.T) {
	a := explained(t, `
{"kind":"node","op":"snapshot","id":"n1","object":{"state":"up"}}
{"kind":"task","op":"snapshot","id":"t1","object":{"service":"gone","slot":1,"node":"n1","state":"running","desired_state":"running"}}
{"kind":"node","op":"snapshot","id":"n2","object":{"state":"up"}}
{"kind":"node","op":"update","id":"n1","object":{"state":"down"}}
`, explain.Options{After: 1})
	if len(a) != 1 || len(a[0].Judged) != 0 || len(a[0].Objects) != 1 || a[0].Objects[0].ID != "t1" || a[0].First.Line != 1 || a[0].Last.Line != 3 {
		t.Errorf("got %+v", a)
	}
}

func TestNothingToExplain(t *testing.T) {
	opts := explain.Options{Judge: validators.Options{Specs: specs.All()}}
	good := strings.Join(strings.Split(strings.TrimSpace(turned), "\n")[:5], "\n")
	if _, result, err := explain.Explain(input(t, good), opts); !errors.Is(err, explain.ErrConforms) || result.Verdict != validators.Conforming {
		t.Errorf("got %v, %v", result, err)
	}
	for line, want := range map[int]string{9: "no such line", 1: "not part of a judged step"} {
		opts.Line = trace.Pos{File: "t", Line: line}
		if _, _, err := explain.Explain(input(t, good), opts); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("line %d: %v, want an error with %q", line, err, want)
		}
	}
	opts = explain.Options{Judge: validators.Options{Specs: specs.All()}, Only: true, Stream: "b"}
	if _, _, err := explain.Explain(input(t, good), opts); err == nil || !strings.Contains(err.Error(), `no event of stream "b"`) {
		t.Errorf("another stream: %v", err)
	}
	opts = explain.Options{Judge: validators.Options{Specs: specs.All(), Select: []string{"no"}}}
	if _, _, err := explain.Explain(input(t, good), opts); err == nil || !strings.Contains(err.Error(), `unknown spec "no"`) {
		t.Errorf("got %v", err)
	}
}

// A part is the whole step only if no other part is of it: kcpStorage has one for each namespace.
func TestPartsOfAStep(t *testing.T) {
	const step = `
{"kind":"meta","object":{"steps":"batched","constants":{"clusters":["c1","c2"]}}}
{"tx":1,"kind":"pvc","op":"update","id":"a1","object":{"namespace":"a","clusters":{"c1":"Sync"}}}
{"tx":1,"kind":"pvc","op":"update","id":"a2","object":{"namespace":"a","clusters":{"c1":"Sync"}}}
`
	for text, want := range map[string]string{
		step: "2 true, 2 false, 3 false",
		step + `{"tx":1,"kind":"pvc","op":"update","id":"b1","object":{"namespace":"b","clusters":{"c1":"Sync"}}}`: "2 false, 2 false, 3 false, 4 false",
	} {
		var got []string
		for _, part := range explained(t, text, explain.Options{})[0].Judged[0].Parts {
			got = append(got, fmt.Sprint(part.Line, part.Whole))
		}
		check(t, "parts", []string{strings.Join(got, ", ")}, want)
	}
}

// What Init has exists before its first line. A syncer is identified by its cluster and its
// namespace together, and has a history of its own.
func TestInit(t *testing.T) {
	const meta = `{"kind":"meta","object":{"spec":["SPEC"],"constants":{"clusters":["c1","c2"]}}}` + "\n"
	for _, c := range []struct{ spec, snapshot, line, want string }{
		{"swarmkit", "", `{"kind":"node","op":"update","id":"n","action":"No","object":{"state":"down"}}`, `{"state":"up"}`},
		{"swarmkit", `{"kind":"node","op":"snapshot","id":"m","object":{"state":"up"}}`, `{"kind":"node","op":"update","id":"n","object":{"state":"down"}}`, ""},
		{"swarmkit", "", `{"kind":"node","op":"create","id":"n","action":"No","object":{"state":"down"}}`, ""},
		{"updatecluster", "", `{"kind":"request","op":"update","id":"r","object":{"status":"success"}}`, `{"status":"waiting"}`},
		{"updatecluster", `{"kind":"request","op":"snapshot","id":"s","object":{"status":"waiting","rank":null,"queued":false}}`,
			`{"kind":"request","op":"create","id":"r","object":{"status":"success","rank":null}}`, `{"status":"waiting"}`},
		{"updatecluster", "", `{"kind":"cluster","op":"update","object":{"complete":false,"request":"r"}}`, `{"complete":true}`},
		{"kcpstorage", "", `{"kind":"namespace","op":"update","id":"n","object":{"clusters":{"c1":"Empty"}}}`, `{"clusters":{}}`},
		{"kcpstorage", "", `{"kind":"pvc","op":"create","id":"p","object":{"namespace":"n","clusters":{"c1":"Sync"}}}`, `{"clusters":{}}`},
		{"kcpstorage", "", `{"kind":"syncer","op":"update","id":"c1","object":{"namespace":"n","pvc_state":"Sync"}}`, `{"pvc_state":"nil"}`},
	} {
		a := explained(t, strings.Replace(meta, "SPEC", c.spec, 1)+strings.TrimLeft(c.snapshot+"\n", "\n")+c.line, explain.Options{})
		if got := string(a[0].Changes[0].Before); got != c.want {
			t.Errorf("%s: before it was %s, want %s", c.line, got, c.want)
		}
	}
	a := explained(t, strings.Replace(meta, "SPEC", "kcpstorage", 1)+`{"kind":"syncer","op":"update","id":"c1","object":{"namespace":"n1","pvc_state":"nil"}}
{"kind":"syncer","op":"update","id":"c1","object":{"namespace":"n2","pvc_state":"nil"}}
{"tx":1,"kind":"syncer","op":"update","id":"c1","object":{"namespace":"n2","pvc_state":"Empty"}}
{"tx":1,"kind":"syncer","op":"update","id":"c1","object":{"namespace":"n1","pvc_state":"Sync"}}
`, explain.Options{})
	var got []string
	for i, o := range a[0].Objects {
		got = append(got, fmt.Sprintf("%s: line %d of %d, then %s", o.Namespace, o.Before[0].Line, len(o.Before), a[0].Changes[i].After))
	}
	check(t, "syncers", got, `n2: line 3 of 1, then {"namespace":"n2","pvc_state":"Empty"}`, `n1: line 2 of 1, then {"namespace":"n1","pvc_state":"Sync"}`)
}
