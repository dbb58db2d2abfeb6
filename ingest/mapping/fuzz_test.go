package mapping

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"tracecheck/internal/exhaustive"
	"tracecheck/trace"
)

// seeds are the rules and logs of the worked examples.
func seeds(t testing.TB) (rules []string, lines []string) {
	t.Helper()
	files, err := filepath.Glob("../../testdata/map/*/*")
	if err != nil || len(files) == 0 {
		t.Fatal("no examples: ", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(file) == ".yaml" {
			rules = append(rules, string(data))
		} else {
			lines = append(lines, strings.Split(strings.TrimSpace(string(data)), "\n")...)
		}
	}
	return rules, lines
}

// Whatever the rules and the line: an error or events, and each event is what
// its own line states, on one line.
func FuzzRules(f *testing.F) {
	rules, lines := seeds(f)
	for _, r := range append(rules, several, "rules: &r [*r]", "rules: [{when: &c {any: [*c]}, ignore: true}]") {
		f.Add([]byte(r), []byte(lines[0]))
		f.Add([]byte(r), []byte(lines[len(lines)-1]))
	}
	f.Add([]byte("rules: [{kind: node, op: update, id: \"n-{a}\", stream: \"{b.@fromstr.c}\"}]"), []byte(`{"a":"\ud800","b":"{\"c\":\"\udc00\"}"}`))
	for _, value := range []string{`"{a.#.{b,c}}"`, `"{a.@pretty}"`, `{path: a, as: seconds}`, `{path: a, layout: "2006-01-02"}`, `{path: a, match: "(.)"}`} {
		f.Add([]byte("rules: [{kind: node, op: update, id: x, object: {state: "+value+"}}]"), []byte(`{"a":[{"b":1}]}`))
	}
	f.Fuzz(func(t *testing.T, file, line []byte) {
		rules, err := Parse("r.yaml", file)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "r.yaml:") {
				t.Errorf("an error without its place: %v", err)
			}
			return
		}
		d := rules.Decoder()
		events, rule, err := d.Map(nil, line, trace.Pos{Line: 1})
		if err == nil && rule < 0 {
			d.Nearest(line)
		}
		err = rules.Opening().Each(events, func(events []trace.Event) error {
			for i := range events {
				if strings.ContainsAny(events[i].Raw, "\n\r") {
					t.Errorf("an event of several lines: %q", events[i].Raw)
				}
				if strings.Contains(namesOf(&events[i]), "\uFFFD") && !mayReplace(file) && !mayReplace(line) {
					t.Errorf("%q: what is no text has become U+FFFD in %+v", line, events[i])
				}
				if c := events[i].Clone(); fmt.Sprintf("%+v", c) != fmt.Sprintf("%+v", events[i]) {
					t.Errorf("got %+v, whose line states %+v", events[i], c)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// namesOf are the event's names, one after the other.
func namesOf(ev *trace.Event) string {
	list := []string{ev.Stream, ev.ID, ev.Tx.String(), ev.Actor, ev.Action}
	for _, f := range ev.Fields {
		list = append(list, f.Str)
	}
	return strings.Join(list, " ")
}

// mayReplace reports whether the text has the character that replaces what is
// no text, or escapes from which YAML could make it.
func mayReplace(text []byte) bool {
	lower := bytes.ToLower(text)
	return bytes.ContainsRune(lower, '\uFFFD') || bytes.Contains(lower, []byte("fffd")) || !utf8.Valid(text)
}

// Mapping does not allocate for each line, but for what libraries do: gjson where a
// path has a dot in a name and a wildcard too, or a text has escapes, and regexp
// for a match's group.
func TestNoAllocation(t *testing.T) {
	if exhaustive.Race {
		t.Skip("not under the race detector")
	}
	rules, lines := seeds(t)
	for _, file := range rules {
		file = strings.NewReplacer(`requestObject.metadata.annotations.experimental\.status\.workload\.kcp\.dev/*`, "verb", `, match: '([^:]+)$'`, "").Replace(file)
		d := parse(t, file).Decoder()
		var own [][]byte
		for _, line := range lines {
			if _, rule, _ := d.Map(nil, []byte(line), trace.Pos{}); rule >= 0 {
				own = append(own, []byte(line))
			}
		}
		var events []trace.Event
		all := func() {
			d.Reset()
			events = events[:0]
			for _, line := range own {
				var err error
				if events, err = d.Decode(events, line, trace.Pos{}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if n := testing.AllocsPerRun(20, all); n > 0 || len(events) < 10 {
			t.Errorf("%v allocations for %d lines, %d events", n, len(own), len(events))
		}
	}
}
