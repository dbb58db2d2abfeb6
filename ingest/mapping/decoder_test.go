package mapping

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"tracecheck/trace"
)

func parse(t testing.TB, file string) *Rules {
	t.Helper()
	rules, err := Parse("r.yaml", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// mapped returns the events that a line becomes, one a line, and the place of
// the rule.
func mapped(t testing.TB, rules *Rules, line string) (string, int, error) {
	t.Helper()
	events, rule, err := rules.Decoder().Map(nil, []byte(line), trace.Pos{File: "a.log", Line: 7})
	var out []string
	for i := range events {
		if want := (trace.Pos{File: "a.log", Line: 7}); events[i].Pos != want {
			t.Errorf("the event is at %v, want %v", events[i].Pos, want)
		}
		out = append(out, events[i].Raw)
	}
	return strings.Join(out, "\n"), rule, err
}

// Each kind of condition, where it holds and where it does not.
func TestConditions(t *testing.T) {
	for _, c := range []struct{ when, yes, no string }{
		{`{msg: up}`, `{"msg":"up"}`, `{"msg":"down"} {"msg":"upper"} {"msg":null} {} {"msg":["up"]} {"msg":{"up":1}}`},
		{`{n: 200}`, `{"n":200} {"n":2e2} {"n":200.0}`, `{"n":"200"} {"n":201} {"n":null} {}`},
		{`{n: "200"}`, `{"n":"200"}`, `{"n":200}`},
		{`{n: -1.5}`, `{"n":-1.5}`, `{"n":1.5}`},
		{`{n: 0x10}`, `{"n":16}`, `{"n":"0x10"}`},
		{`{b: true}`, `{"b":true}`, `{"b":false} {"b":"true"} {"b":1}`},
		{`{b: false}`, `{"b":false}`, `{"b":true} {"b":null} {}`},
		{`{b: yes}`, `{"b":"yes"}`, `{"b":true}`}, // YAML 1.2: a text
		{`{b: null}`, `{"b":null}`, `{"b":false} {"b":"null"} {}`},
		{`{d: 2026-01-01}`, `{"d":"2026-01-01"}`, `{"d":"2026-01-02"}`}, // a text in JSON
		{`{a: ""}`, `{"a":""}`, `{"a":" "} {}`},
		{`{a: [x, 1, null]}`, `{"a":"x"} {"a":1} {"a":null}`, `{"a":"1"} {"a":["x"]} {}`},
		{`{a.b.0: x}`, `{"a":{"b":["x"]}}`, `{"a":{"b":["y","x"]}}`},
		{`{'a\.b': x}`, `{"a.b":"x"}`, `{"a":{"b":"x"}}`},
		{`{a: {exists: true}}`, `{"a":1} {"a":null}`, `{"b":1} {}`},
		{`{a: {exists: false}}`, `{"b":1} {}`, `{"a":1} {"a":null}`},
		{`{a: {matches: "b+"}}`, `{"a":"abba"}`, `{"a":"aa"} {"a":null} {"a":["b"]} {}`},
		{`{a: {matches: "^2"}}`, `{"a":201} {"a":"2"}`, `{"a":301}`},
		{`{a: {matches: "^true$"}}`, `{"a":true}`, `{"a":false}`},
		{`{a: 1, b: 2}`, `{"a":1,"b":2}`, `{"a":1} {"b":2} {"a":1,"b":3}`},
		{`{any: [{a: 1}, {b: 2, c: 3}]}`, `{"a":1} {"b":2,"c":3}`, `{"b":2} {}`},
		{`{all: [{a: {matches: x}}, {a: {matches: y}}]}`, `{"a":"xy"}`, `{"a":"x"} {"a":"y"}`},
		{`{not: {a: 1, b: 2}}`, `{"a":1} {}`, `{"a":1,"b":2}`},
		{`{a: 1, not: {b: 2}, any: [{c: 3}, {not: {d: {exists: true}}}]}`, `{"a":1} {"a":1,"c":3,"d":4}`, `{"a":1,"b":2} {"a":1,"d":4}`},
		{`{"@this.any": 1}`, `{"any":1}`, `{"any":2}`}, // a path of a reserved name
	} {
		rules := parse(t, "rules:\n  - when: "+c.when+"\n    ignore: true\n")
		for want, lines := range map[int]string{0: c.yes, -1: c.no} {
			for _, line := range strings.Fields(strings.ReplaceAll(lines, `" "`, `"\u0020"`)) {
				if _, rule, err := mapped(t, rules, line); rule != want || err != nil {
					t.Errorf("%s on %s: rule %d, %v; want %d", c.when, line, rule, err, want)
				}
			}
		}
	}
}

// Each way to give a value. A want that begins with ! is of an error.
func TestValues(t *testing.T) {
	const tables = "tables: {t: {running: up, 3: 30, true: [1], null: none}}\n"
	for _, c := range []struct{ value, line, want string }{
		{`up`, `{}`, `"up"`},
		{`""`, `{}`, `""`},
		{`7`, `{}`, `7`},
		{`0x1F`, `{}`, `31`},
		{`1.50`, `{}`, `1.50`},
		{`true`, `{}`, `true`},
		{`[a, {b: null}]`, `{}`, `["a",{"b":null}]`},
		{`2026-01-01`, `{}`, `"2026-01-01"`},
		{`"{{a}}"`, `{}`, `"{a}"`},
		{`{value: "{a}"}`, `{"a":1}`, `"{a}"`},
		{`{value: {c1: [Sync]}}`, `{}`, `{"c1":["Sync"]}`},

		{`"{a}"`, `{"a":"x"}`, `"x"`},
		{`"{a}"`, `{"a":7}`, `7`},
		{`"{a}"`, `{"a":null}`, `null`},
		{`"{a}"`, `{"a":{"b":[1, 2]}}`, `{"b":[1, 2]}`},
		{`"{a}"`, `{"a":"q\"\u00e9\n"}`, `"q\"\u00e9\n"`},
		{`"{a}"`, `{}`, `!object.state: the line does not have a; if it is not always`},
		{`"{a.#(n==2).p}"`, `{"a":[{"n":1,"p":"x"},{"n":2,"p":"y"}]}`, `"y"`},
		{`"{a.@pretty}"`, `{"a":{"b":1}}`, `{"b":1}`},
		{`"{a.#}"`, `{"a":[1,2]}`, `2`},
		{`"{a.@fromstr.b}"`, `{"a":"{\"b\":3}"}`, `3`},
		{`{path: 'a.#.{"name":n}'}`, `{"a":[{"n":"x"}]}`, `[{"name":"x"}]`},

		{`"{a}/{b}"`, `{"a":"x","b":7}`, `"x/7"`},
		{`"{a}{b}!"`, `{"a":"q\"","b":true}`, `"q\"true!"`},
		{`"id-{a}"`, `{"a":1e2}`, `"id-1e2"`},
		{`"{a}/{b}"`, `{"a":"x"}`, `!the line does not have b as text`},
		{`"{a}/{b}"`, `{"a":"x","b":null}`, `!the line does not have b as text`},
		{`"{a}/{b}"`, `{"a":"x","b":[]}`, `!the line does not have b as text`},
		{`{text: "{a}"}`, `{"a":7}`, `"7"`},
		{`{text: "{a}", default: none}`, `{}`, `"none"`},

		{`{path: a, match: '^task-(\w+)'}`, `{"a":"task-7b done"}`, `"7b"`},
		{`{path: a, match: '(\d)'}`, `{"a":42}`, `"4"`},
		{`{path: a, match: '(\d+)', as: integer}`, `{"a":"slot 42"}`, `42`},
		{`{path: a, match: '(\d+)'}`, `{"a":"none"}`, `!does not have what (\d+) matches`},
		{`{path: a, match: '(\d+)'}`, `{"a":["1"]}`, `!does not have what (\d+) matches`},
		{`{path: a, match: 'x(y)?'}`, `{"a":"x"}`, `!does not have what`},
		{`{path: a, match: '(\d+)', default: 0}`, `{"a":"none"}`, `0`},
		{`{path: a, match: '^(.)', table: {r: up}}`, `{"a":"running"}`, `"up"`},

		{`{path: a, table: t}`, `{"a":"running"}`, `"up"`},
		{`{path: a, table: t}`, `{"a":3}`, `30`},
		{`{path: a, table: t}`, `{"a":true}`, `[1]`},
		{`{path: a, table: t}`, `{"a":null}`, `"none"`},
		{`{path: a, table: t}`, `{"a":"3"}`, `!object.state: the table has no "3"; to accept other values, set otherwise`},
		{`{path: a, table: t}`, `{"a":[3]}`, `!the table has no [3]`},
		{`{path: a, table: t}`, `{}`, `!does not have a`},
		{`{path: a, table: t, otherwise: down}`, `{"a":"3"}`, `"down"`},
		{`{path: a, table: t, otherwise: down}`, `{}`, `!does not have a`},
		{`{path: a, table: t, default: gone}`, `{}`, `"gone"`},
		{`{path: a, table: t, default: gone}`, `{"a":4}`, `!the table has no 4`},
		{`{text: "{a}-{b}", table: {x-1: null}}`, `{"a":"x","b":1}`, `null`},
		{`{text: "{a}-{b}", table: {x-1: null}}`, `{"a":"x","b":2}`, `!the table has no "x-2"`},

		{`{path: a, as: integer}`, `{"a":"42"}`, `42`},
		{`{path: a, as: integer}`, `{"a":"-007"}`, `-7`},
		{`{path: a, as: integer}`, `{"a":3.0}`, `3`},
		{`{path: a, as: integer}`, `{"a":9223372036854775807}`, `9223372036854775807`},
		{`{path: a, as: integer}`, `{"a":null}`, `null`},
		{`{path: a, as: integer}`, `{"a":3.5}`, `!object.state: "3.5" is not an integer`},
		{`{path: a, as: integer}`, `{"a":""}`, `!"" is not an integer`},
		{`{path: a, as: integer}`, `{"a":{}}`, `!an array or object is not an integer`},
		{`{path: a, as: integer}`, `{"a":true}`, `!"true" is not an integer`},
		{`{path: a, as: boolean}`, `{"a":"true"}`, `true`},
		{`{path: a, as: boolean}`, `{"a":false}`, `false`},
		{`{path: a, as: boolean}`, `{"a":"yes"}`, `!"yes" is not a boolean: give a table`},

		{`{path: a, default: x}`, `{}`, `"x"`},
		{`{path: a, default: null}`, `{}`, `null`},
		{`{path: a, default: x}`, `{"a":null}`, `null`},
		{`{path: a, default: [], as: integer}`, `{}`, `[]`},
		{`{path: a, optional: true}`, `{"a":1}`, `1`},
		{`{fields: {x: "{a}", y: {path: b, optional: true}, z: 1}}`, `{"a":1}`, `{"x":1,"z":1}`},
		{`{fields: {x: {path: b, optional: true}}}`, `{}`, `{}`},
		{`{fields: {x: "{a}"}}`, `{}`, `!object.state.x: the line does not have a`},
	} {
		rules := parse(t, tables+"rules:\n  - kind: node\n    op: update\n    id: n\n    object:\n      state: "+c.value+"\n")
		got, _, err := mapped(t, rules, c.line)
		want := fmt.Sprintf(`{"kind":"node","op":"update","id":"n","object":{"state":%s}}`, c.want)
		if reason, bad := strings.CutPrefix(c.want, "!"); bad {
			if err == nil || !strings.Contains(err.Error(), reason) {
				t.Errorf("%s of %s: got %s, %v; want an error with %q", c.value, c.line, got, err, reason)
			}
		} else if err != nil || got != want {
			t.Errorf("%s of %s: got %s, %v; want %s", c.value, c.line, got, err, want)
		}
	}
}

// Times, to the nanosecond. 1795168800 is 2026-11-20 10:00:00 UTC (date -d @…).
func TestTimes(t *testing.T) {
	for _, c := range []struct{ value, a, want string }{
		{"as: seconds", `1795168800`, "2026-11-20T10:00:00Z"},
		{"as: seconds", `1795168800.123456789`, "2026-11-20T10:00:00.123456789Z"},
		{"as: seconds", `"1795168800.5"`, "2026-11-20T10:00:00.5Z"},
		{"as: seconds", `1.7951688005e9`, "2026-11-20T10:00:00.5Z"},
		{"as: seconds", `-0.25`, "1969-12-31T23:59:59.75Z"},
		{"as: seconds", `0`, "1970-01-01T00:00:00Z"},
		{"as: milliseconds", `1795168800123`, "2026-11-20T10:00:00.123Z"},
		{"as: milliseconds", `1795168800123.456`, "2026-11-20T10:00:00.123456Z"},
		{"as: microseconds", `"1795168800123456"`, "2026-11-20T10:00:00.123456Z"},
		{"as: nanoseconds", `1795168800123456789`, "2026-11-20T10:00:00.123456789Z"},
		{"as: seconds", `1795168800123`, "!is not a number of seconds"}, // the year 58856
		{"as: seconds", `1e99`, "!is not a number of seconds"},
		{"as: seconds", `-1e99`, "!is not a number of seconds"},
		{"as: seconds", `"now"`, "!is not a number of seconds"},
		{"as: seconds", `"--5"`, "!is not a number of seconds"},
		{"as: seconds", `""`, "!is not a number of seconds"},
		{"as: seconds", `"NaN"`, "!is not a number of seconds"},
		{"as: seconds", `"1.2.3"`, "!is not a number of seconds"},
		{"as: nanoseconds", `100000000000000000000`, "5138-11-16T09:46:40Z"}, // more than an int64
		{"as: nanoseconds", `1000000000000000000000`, "!is not a number of seconds"},
		{"layout: '2006-01-02 15:04:05,000'", `"2026-11-20 10:00:00,250"`, "2026-11-20T10:00:00.25Z"},
		{"layout: '02/Jan/2006:15:04:05 -0700'", `"20/Nov/2026:10:00:00 +0200"`, "2026-11-20T10:00:00+02:00"},
		{"layout: '2006-01-02 15:04:05'", `"20.11.2026"`, `!"20.11.2026" is not a time in the layout "2006-01-02 15:04:05"`},
	} {
		rules := parse(t, "rules:\n  - kind: node\n    op: update\n    id: n\n    time: {path: a, "+c.value+"}\n")
		got, _, err := mapped(t, rules, `{"a":`+c.a+`}`)
		if reason, bad := strings.CutPrefix(c.want, "!"); bad {
			if err == nil || !strings.Contains(err.Error(), reason) {
				t.Errorf("%s of %s: got %s, %v; want an error with %q", c.value, c.a, got, err, reason)
			}
		} else if want := `{"time":"` + c.want + `","kind":"node","op":"update","id":"n"}`; err != nil || got != want {
			t.Errorf("%s of %s: got %s, %v; want %s", c.value, c.a, got, err, want)
		}
	}
}

const several = `
defaults:
  stream: "{s}"
  kind: node
  op: update
  object: {state: up}
rules:
  - name: first
    when: {m: [a, b]}
    id: "{id}"
  - name: never for b
    when: {m: [b, c]}
    id: other
    kind: "{kind}"
  - name: pair
    when: {m: d}
    stream: null
    events:
      - id: one
      - {id: two, object: null, op: delete}
  - name: own tx
    when: {m: e}
    tx: {path: tx, optional: true}
    events: [{id: one}, {id: two, time: "{time}"}]
`

// The first rule that matches makes the events; what it does not say, the
// defaults do. The events of a line are one step.
func TestEvents(t *testing.T) {
	rules := parse(t, several)
	for _, c := range []struct {
		line, want string
		rule       int
	}{
		{`{"s":"x","m":"a","id":"n1"}`, `{"stream":"x","kind":"node","op":"update","id":"n1","object":{"state":"up"}}`, 0},
		{`{"s":"x","m":"b","id":"n1"}`, `{"stream":"x","kind":"node","op":"update","id":"n1","object":{"state":"up"}}`, 0},
		{`{"s":"x","m":"c","kind":"task"}`, `{"stream":"x","kind":"task","op":"update","id":"other","object":{"state":"up"}}`, 1},
		{`{"m":"d"}`, `{"kind":"node","op":"update","id":"one","object":{"state":"up"},"tx":"a.log:7"}
{"kind":"node","op":"delete","id":"two","tx":"a.log:7"}`, 2},
		{`{"s":"","m":"e","tx":12,"time":"2026-11-20T10:00:00Z"}`, `{"stream":"","tx":12,"kind":"node","op":"update","id":"one","object":{"state":"up"}}
{"stream":"","time":"2026-11-20T10:00:00Z","tx":12,"kind":"node","op":"update","id":"two","object":{"state":"up"}}`, 3},
		{`{"s":"","m":"e","time":"2026-11-20T10:00:00Z"}`, `{"stream":"","kind":"node","op":"update","id":"one","object":{"state":"up"},"tx":"a.log:7"}
{"stream":"","time":"2026-11-20T10:00:00Z","kind":"node","op":"update","id":"two","object":{"state":"up"},"tx":"a.log:7"}`, 3},
		{`{"s":"","m":"e","time":""}`, `{"stream":"","kind":"node","op":"update","id":"one","object":{"state":"up"},"tx":"a.log:7"}
{"stream":"","kind":"node","op":"update","id":"two","object":{"state":"up"},"tx":"a.log:7"}`, 3}, // an empty column
		{`{"s":"x","m":"f"}`, "", -1},
		{`[1]`, "", -1},
		{`7`, "", -1},
	} {
		if got, rule, err := mapped(t, rules, c.line); err != nil || got != c.want || rule != c.rule {
			t.Errorf("%s: got rule %d, %v\n%s\nwant rule %d\n%s", c.line, rule, err, got, c.rule, c.want)
		}
	}
}

// What cannot be an event is an error with the line, the rule and its place,
// and leaves no event behind.
func TestRefused(t *testing.T) {
	rules := parse(t, several)
	for _, c := range []struct{ line, want string }{
		{`{"m":"a","id":"n1"}`, `a.log:7: rule "first" (r.yaml:8): stream: the line does not have s`},
		{`{"s":"","m":"a"}`, `a.log:7: rule "first" (r.yaml:8): id: the line does not have id`},
		{`{"s":"","m":"a","id":7}`, `a.log:7: rule "first" (r.yaml:8): its result for the line is not an event: id must be a string, not 7: {"stream"`},
		{`{"s":"","m":"c","kind":"pod"}`, `unknown kind "pod"`},
		{`{"s":"","m":"e"}`, `a.log:7: rule "own tx" (r.yaml:24): time: the line does not have time`},
		{`{"s":"","m":"e","time":"noon"}`, `(r.yaml:24): its result for the line is not an event: time must be in RFC 3339`},
		{`{"m":`, `a.log:7: the line is not JSON: "{\"m\":"`},
		{"{\"m\":\"\xff\"}", `a.log:7: the line is not valid UTF-8`},
		{strings.Repeat("[", 65) + strings.Repeat("]", 65), `a.log:7: the line's arrays and objects nest deeper than 64`},
	} {
		got, _, err := mapped(t, rules, c.line)
		if _, ok := errors.AsType[*trace.Error](err); !ok || !strings.Contains(err.Error(), c.want) || got != "" {
			t.Errorf("%s: got %q, %v; want only an error with %q", c.line, got, err, c.want)
		}
	}
}

func TestCounts(t *testing.T) {
	d := parse(t, several).Decoder()
	var sum Counts
	for range 2 {
		d.Reset()
		var events []trace.Event
		for _, line := range []string{`{"s":"","m":"a","id":"n"}`, `{"m":"d"}`, `{"m":"d"}`, `{}`} {
			var err error
			if events, err = d.Decode(events, []byte(line), trace.Pos{}); err != nil {
				t.Fatal(err)
			}
		}
		sum.Add(&d.Counts)
	}
	if got, want := fmt.Sprint(sum), "{8 [2 0 4 0] 2 10}"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The meta line comes once in each stream, first, wherever the events are cut.
func TestOpening(t *testing.T) {
	rules := parse(t, "meta: {steps: batched}\nrules:\n  - {kind: node, op: update, id: '{id}', stream: '{s}'}\n")
	d := rules.Decoder()
	var events []trace.Event
	for _, line := range []string{`{"s":"","id":"1"}`, `{"s":"","id":"2"}`, `{"s":"b","id":"3"}`, `{"s":"","id":"4"}`, `{"s":"b","id":"5"}`, `{"s":"c","id":"6"}`} {
		var err error
		if events, err = d.Decode(events, []byte(line), trace.Pos{}); err != nil {
			t.Fatal(err)
		}
	}
	const want = ` meta@r.yaml:1 1 2 b:meta@r.yaml:1 3 4 5 c:meta@r.yaml:1 6`
	for cut := range events {
		o := rules.Opening()
		got := ""
		do := func(events []trace.Event) error {
			for i := range events {
				ev := &events[i]
				if ev.Kind != trace.KindMeta {
					got += " " + ev.ID
					continue
				}
				m, err := trace.ParseMeta(ev)
				if err != nil || m.Steps != "batched" {
					t.Errorf("%s: %+v, %v", ev.Raw, m, err)
				}
				name := "meta@" + ev.Pos.String()
				if ev.Stream != "" {
					name = ev.Stream + ":" + name
				}
				got += " " + name
			}
			return nil
		}
		for _, part := range [][]trace.Event{events[:cut], nil, events[cut:]} {
			if err := o.Each(part, do); err != nil {
				t.Fatal(err)
			}
		}
		if got != want {
			t.Errorf("cut at %d: got %s, want %s", cut, got, want)
		}
	}
}

// Of a line that no rule matches, the rule with the fewest failed conditions is
// nearest.
func TestNearest(t *testing.T) {
	rules := parse(t, `
rules:
  - name: two
    when: {a: 1, b: 2}
    ignore: true
  - name: three
    when:
      a: {matches: "^1"}
      b: [5, 6]
      c: {exists: false}
    ignore: true
  - name: either
    when:
      x: 1
      any:
        - {y: 1, z: 1}
        - {y: 2}
    ignore: true
  - name: but
    when: {k: 1, l: 1, not: {m: 1}}
    ignore: true
`)
	for _, c := range []struct{ line, want string }{
		{`{"a":1,"c":0}`, `nearest is rule "two", but not: b 2 (line 4), which is not there`},
		{`{"a":12,"b":7}`, `nearest is rule "three", but not: b one of [5,6] (line 9), which is 7`},
		{`{"a":2,"b":5}`, `nearest is rule "three", but not: a matches: ^1 (line 8), which is 2`},
		{`{"a":"1x","b":6,"c":[1]}`, `nearest is rule "three", but not: c exists: false (line 10), which is [1]`},
		{`{"x":1,"y":3}`, `nearest is rule "either", but not: y 2 (line 17), which is 3`},
		{`{"x":1,"y":1}`, `nearest is rule "either", but not: z 1 (line 16), which is not there`},
		{`{"k":1,"l":1,"m":1}`, `nearest is rule "but", but not: not (line 20), whose condition holds`},
	} {
		d := rules.Decoder()
		if _, rule, _ := d.Map(nil, []byte(c.line), trace.Pos{}); rule >= 0 {
			t.Fatalf("%s: rule %d matches", c.line, rule)
		}
		if got := d.Nearest([]byte(c.line)); got != c.want {
			t.Errorf("%s: got %s\nwant %s", c.line, got, c.want)
		}
	}
}
