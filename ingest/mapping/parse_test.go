package mapping

import (
	"slices"
	"strings"
	"testing"

	"tracecheck/internal/yamldoc"
)

// good is a rule that a test's mistake is beside.
const good = `
rules:
  - kind: node
    op: update
    id: "{id}"
`

// Each fault is named with its line.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"empty", "", "r.yaml: the file is empty"},
		{"only a comment", "# rules", "r.yaml: the file is empty"},
		{"no YAML", "rules:\n  - kind: [a\n    op: b", "r.yaml:3: not YAML: did not find expected ',' or ']'"},
		{"tab", "meta:\n\tspec: [a]", "r.yaml:2: not YAML: the line begins with a tab: indent it with blanks"},
		{"tab after blanks", "rules:\n  - kind: a\n  \top: b", "r.yaml:3: not YAML: the line begins with a tab"},
		{"no token", "rules: @a", "r.yaml:1: not YAML: found character that cannot start any token"},
		{"a log", strings.Repeat("a line\n", 999), `r.yaml:1: the file is a mapping of keys to values, not "a line a line a line a line a line a line a line a line a li"…`},
		{"no anchor", "rules: *r", "r.yaml:1: not YAML: unknown anchor 'r' referenced"},
		{"not UTF-8", "rules: \xff", "r.yaml: not YAML: "},
		{"two documents", good + "---\nrules: []", "r.yaml:6: a second document"},
		{"a list", "- a", "r.yaml:1: the file is a mapping of keys to values, not a list"},
		{"no rules", "meta: {}", "r.yaml:1: the file has no rules"},
		{"rules empty", "rules: []", "r.yaml:1: rules is a list of rules, not an empty list"},
		{"rules no list", "rules:\n  kind: node", "r.yaml:2: rules is a list of rules, not a mapping"},
		{"unknown section", good + "rule: 1", `r.yaml:6: the file has no key "rule": it may have lines, meta, tables, defaults, rules`},
		{"unknown key", good + "    obejct: {}", `r.yaml:6: a rule has no key "obejct"`},
		{"key twice", good + "    op: delete", `r.yaml:6: a rule has the key "op" twice`},
		{"key no text", good + "    ? [a]\n    : b", `r.yaml:6: a key of a rule is text, not a list`},
		{"merge key", good + "    <<: {op: delete}", `r.yaml:6: a rule has no key "<<"`},
		{"anchor in itself", "rules: &r\n  - *r", "r.yaml:2: the anchor r contains itself"},
		{"anchor deep in itself", good + "    object: &o {fields: {a: {fields: {b: *o}}}}", "r.yaml:6: the anchor o contains itself"},
		{"anchors of anchors", good + "    object:\n      a: &a [" + strings.Repeat("x,", 99) + "x]\n      b: &b [" + strings.Repeat("*a,", 99) + "*a]\n      c: [" + strings.Repeat("*b,", 99) + "*b]", "the file is too long when its anchors are expanded"},
		{"lines unknown", "lines: xml" + good, `r.yaml:1: lines is json, logfmt, klog, {csv: [COLUMN, …]} or {matches: EXPRESSION}, not "xml"`},
		{"lines a list", "lines: [csv]" + good, "r.yaml:1: lines is a mapping of keys to values, not a list"},
		{"lines twice", "lines: {csv: [a], matches: '(?P<a>.)'}" + good, "r.yaml:1: lines is either csv, perhaps with a separator, or matches"},
		{"lines nothing", "lines: {separator: ';'}" + good, "r.yaml:1: lines is either csv"},
		{"csv without columns", "lines: {csv: []}" + good, "r.yaml:1: csv is the list of the columns' names, not an empty list"},
		{"csv column twice", "lines: {csv: [a, b, a]}" + good, `r.yaml:1: two columns have the name "a"`},
		{"csv separator", "lines: {csv: [a], separator: ab}" + good, `r.yaml:1: separator is one character, such as ";" or "\t", not "ab"`},
		{"csv quotation mark", "lines: {csv: [a], separator: '\"'}" + good, `r.yaml:1: separator is one character`},
		{"expression", "lines: {matches: '('}" + good, "r.yaml:1: matches: error parsing regexp"},
		{"expression without names", "lines: {matches: '(a)'}" + good, "r.yaml:1: matches needs groups with names"},
		{"meta key", "meta:\n  specs: [swarmkit]" + good, `r.yaml:2: meta has no key "specs": it may have format, spec,`},
		{"meta value", "meta:\n  spec: swarmkit" + good, `r.yaml:2: meta: "spec" must be an array of names, not "swarmkit"`},
		{"meta format", "meta: {format: 2}" + good, "r.yaml:1: this is format 2; tracecheck reads format 1"},
		{"meta no mapping", "meta: yes" + good, `r.yaml:1: meta is a mapping of keys to values, not "yes"`},
		{"defaults", "defaults:\n  knid: x" + good, `r.yaml:2: defaults has no key "knid"`},
		{"name", good + "    name: [a]", "r.yaml:6: name is a text, not a list"},
		{"name twice", good + "    name: a\n    when: {x: 1}\n  - {name: a, ignore: true}", `r.yaml:8: the rule at line 3 has the name "a", too`},
		{"no line comes", good + "  - ignore: true", "r.yaml:6: no line reaches this rule: the rule before it, at line 3, has no when"},
		{"no event", "rules:\n  - when: {a: 1}", "r.yaml:2: the rule makes no event: give it kind"},
		{"ignore false", "rules:\n  - ignore: false", "r.yaml:2: ignore must be true, and the rule may make no events: otherwise leave it out"},
		{"ignore and event", good + "    ignore: true", "r.yaml:6: ignore must be true, and the rule may make no events"},
		{"ignore no boolean", "rules:\n  - ignore: yes", `r.yaml:2: ignore is true or false, not "yes"`},
		{"events empty", good + "    events: []", "r.yaml:6: events is a list of events, not an empty list"},
		{"event key", good + "    events: [{when: 1}]", `r.yaml:6: an event has no key "when"`},

		{"kind missing", "rules:\n  - {op: update, id: x}", `r.yaml:2: such an event is invalid: the line has no "kind"`},
		{"kind unknown", "rules:\n  - {kind: pod, op: update, id: x}", `r.yaml:2: such an event is invalid: unknown kind "pod"`},
		{"kind optional", "rules:\n  - {kind: {path: k, optional: true}}", "r.yaml:2: kind cannot be optional"},
		{"op missing", "rules:\n  - {kind: node, id: x}", `r.yaml:2: such an event is invalid: the node line has no "op": snapshot, create, update, delete or reject`},
		{"op unknown", "rules:\n  - {kind: node, op: patch, id: x}", `unknown op "patch": expected snapshot`},
		{"id missing", "rules:\n  - {kind: node, op: update}", `the node line has no "id"`},
		{"id taken back", "defaults: {id: x}\nrules:\n  - {kind: node, op: update, id: null}", `r.yaml:3: such an event is invalid: the node line has no "id"`},
		{"id a number", "rules:\n  - {kind: node, op: update, id: 7}", `id must be a string, not 7`},
		{"constant time", good + "    time: today", "r.yaml:3: such an event is invalid: time must be in RFC 3339"},
		{"constant seq", good + "    seq: first", "seq must be an integer"},
		{"constant object", good + "    object: [a]", `"object" must be a JSON object`},

		{"when no mapping", good + "    when: x", `r.yaml:6: a condition is a mapping of keys to values, not "x"`},
		{"when empty", good + "    when: {}", "r.yaml:6: the condition is empty"},
		{"any no list", good + "    when: {any: {a: 1}}", "r.yaml:6: any is a list of conditions, not a mapping"},
		{"all empty", good + "    when: {all: []}", "r.yaml:6: all is a list of conditions"},
		{"one of none", good + "    when: {a: []}", "r.yaml:6: the list is empty"},
		{"one of lists", good + "    when: {a: [[b]]}", "r.yaml:6: a value to compare with is text, a number, true, false or null, not a list"},
		{"big number", good + "    when: {a: 9007199254740993}", "matches: '^9007199254740993$'"},
		{"no number of JSON", good + "    when: {a: .inf}", "r.yaml:6: JSON has no value !!float .inf"},
		{"test key", good + "    when: {a: {is: b}}", `r.yaml:6: a test has no key "is": it may have exists, matches`},
		{"two tests", good + "    when: {a: {exists: true, matches: b}}", "one of exists and matches; for both, use all"},
		{"exists", good + "    when:\n      a: {exists: 1}", `r.yaml:7: exists is true or false, not "1"`},
		{"matches", good + "    when:\n      a: {matches: '('}", "r.yaml:7: matches: error parsing regexp: missing closing )"},
		{"empty path", good + `    when: {"": 1}`, "r.yaml:6: a path is empty"},

		{"braces without quotes", good + "    stream: {cluster}", `r.yaml:6: stream has no key "cluster"`},
		{"the same, hinted", good + "    stream: {cluster}", `a path in braces needs quotes: "{…}"`},
		{"nested without quotes", good + "    object: {state: {s}}", `a path in braces needs quotes`},
		{"brace left open", good + `    stream: "a{b"`, `r.yaml:6: an unmatched brace in "a{b"`},
		{"brace left closed", good + `    stream: "a}b"`, "r.yaml:6: an unmatched brace"},
		{"brace in braces", good + `    stream: "{a.{b,c}}"`, "r.yaml:6: an unmatched brace"},
		{"empty braces", good + `    stream: "{}"`, "r.yaml:6: a path is empty"},
		{"no source", good + "    stream: {default: a}", "r.yaml:6: stream is taken from one of path, text, value and fields: none is given"},
		{"two sources", good + "    stream: {path: a, text: b}", "not from path and text"},
		{"value with more", good + "    stream: {value: a, default: b}", "r.yaml:6: stream: with value, no other key is allowed"},
		{"value key", good + "    stream: {path: a, dflt: b}", `r.yaml:6: stream has no key "dflt"`},
		{"match", good + "    stream: {path: a, match: 'b'}", "match needs one group in brackets, the part that is the value; it has 0"},
		{"matches two groups", good + "    stream: {path: a, match: '(b)(c)'}", "it has 2"},
		{"no such table", good + "    stream: {path: a, table: t}", `r.yaml:6: there is no table "t" in the section tables`},
		{"table empty", good + "    stream: {path: a, table: {}}", "r.yaml:6: the table is empty"},
		{"table a list", good + "    stream: {path: a, table: [b]}", "a table is a mapping of keys to values, not a list"},
		{"otherwise alone", good + "    stream: {path: a, otherwise: b}", "otherwise is for values that a table lacks"},
		{"as", good + "    stream: {path: a, as: number}", "r.yaml:6: as is integer, boolean, seconds,"},
		{"table and as", good + "    stream: {path: a, table: {b: c}, as: integer}", "table and as exclude each other"},
		{"default and optional", good + "    stream: {path: a, default: c, optional: true}", "default and optional exclude each other"},
		{"layout", good + "    time: {path: a, layout: YYYY-MM-DD}", `r.yaml:6: the layout "YYYY-MM-DD" has no part of a time`},
		{"layout with a zone", good + "    time: {path: a, layout: '2006-01-02 15:04:05 MST'}", "a zone's abbreviation"},
		{"in a nested object", good + "    object:\n      clusters:\n        fields:\n          c1: {pth: a}", `r.yaml:9: object.clusters.c1 has no key "pth"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			rules, err := Parse("r.yaml", []byte(c.file))
			if err == nil {
				t.Fatalf("no fault: %+v", rules)
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %q, want %q in it", err, c.want)
			}
		})
	}
}

// All faults are reported at once, but not without end.
func TestAllFaults(t *testing.T) {
	_, err := Parse("r.yaml", []byte("rules:\n  - {kind: pod}\n  - {kind: x, nme: a}\n"))
	if err == nil {
		t.Fatal("no fault")
	}
	for _, want := range []string{"r.yaml:2: such an event", "r.yaml:3: a rule has no key", "r.yaml:3: no line reaches"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %q, want %q in it", err, want)
		}
	}
	_, err = Parse("r.yaml", []byte("rules:\n"+strings.Repeat("  - {knid: a}\n", 50)))
	if err == nil || strings.Count(err.Error(), "\n") != yamldoc.MaxFaults || !strings.Contains(err.Error(), "\nand ") {
		t.Errorf("got %v, want %d faults and a count", err, yamldoc.MaxFaults)
	}
}

func TestWarnings(t *testing.T) {
	rules, err := Parse("r.yaml", []byte("defaults: {kind: node, op: update, id: x}\n"+"rules:\n  - {when: {a: 1}, id: y, object: &o {state: up,\n    sate: up}}\n  - {object: *o}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if w := rules.Warnings; len(w) != 1 || w[0].Line != 4 || !strings.Contains(w[0].Text, "sate") {
		t.Errorf("got %v, want one of sate, at line 4", w)
	}
}

// What can never hold is warned of, with its line.
func TestWarningsOfTexts(t *testing.T) {
	const (
		csv     = "lines: {csv: [id, code]}"
		status  = "    object: {state: {path: code, "
		byCode  = "    when: {code: "
		noText  = "the value is always a text, and 200 is none, so they are never equal: write \"200\""
		noField = `no line has a field "cod": the section lines names id, code`
	)
	for _, c := range []struct {
		name, file string
		want       []Warning
	}{
		{"JSON", good + byCode + "200}", nil},
		{"text", csv + good + byCode + `"200"}`, nil},
		{"number", csv + good + byCode + "200}", []Warning{{6, noText}}},
		{"number in a list", "lines: logfmt" + good + byCode + `["404", 200]}`, []Warning{{6, noText}}},
		{"number in a text", csv + good + `    when: {code.@fromstr: 200}`, nil},
		{"null", "lines: klog" + good + byCode + "null}", []Warning{{6, "the value is always a text, and null is none, so they are never equal"}}},
		{"table", csv + good + status + `table: {200: up}}}`, []Warning{{6, noText}}},
		{"named table, twice", csv + good + status + "table: t}}\n    action: {path: code, table: t}\ntables: {t: {200: up}}", []Warning{{8, noText}}},
		{"table of JSON", good + status + `table: {200: up}}}`, nil},
		{"table of a match", good + status + `match: '(\d+)', table: {200: up}}}`, []Warning{{6, noText}}},
		{"no such column", csv + good + "    when: {cod: '200'}", []Warning{{6, noField}}},
		{"no such column in a text", csv + good + `    stream: "{id}/{cod}"`, []Warning{{6, noField}}},
		{"no such group", "lines: {matches: '(?P<id>.)(x)(?P<code>.)'}" + good + "    when: {cod: {exists: true}}", []Warning{{6, noField + ", line"}}},
		{"the whole line", "lines: {matches: '(?P<id>.)'}" + good + "    when: {line: {exists: true}}", nil},
		{"other keys of logfmt", "lines: logfmt" + good + "    when: {cod: {exists: true}}", nil},
	} {
		rules, err := Parse("r.yaml", []byte(c.file))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if !slices.Equal(rules.Warnings, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, rules.Warnings, c.want)
		}
	}
	// A flow mapping of one key is no path in braces, unless it has no value.
	if _, err := Parse("r.yaml", []byte("meta: {specs: [swarmkit]}"+good)); err == nil || strings.Contains(err.Error(), "braces") {
		t.Errorf("a wrong key is reported as %v", err)
	}
}

func TestNoFile(t *testing.T) {
	if _, err := Load(t.TempDir() + "/none.yaml"); err == nil || !strings.Contains(err.Error(), "none.yaml") {
		t.Errorf("got %v", err)
	}
}
