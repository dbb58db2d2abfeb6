package mapping

import (
	"strings"
	"testing"
)

// However a name is taken from a line: what is not text is refused, and is never
// taken for the character that replaces it.
func TestNamesAreText(t *testing.T) {
	const rule = "rules: [{kind: node, op: update, object: {message: {path: msg, optional: true}}, id: ID, stream: S}]"
	for _, c := range []struct{ id, line string }{
		{`"{a}"`, `{"a":"x?"}`},
		{`"{a.b}"`, `{"a":{"b":"?"}}`},
		{`"n-{a}"`, `{"a":"x?y"}`},
		{`{text: "{a}/{b}"}`, `{"a":"x","b":"?"}`},
		{`{path: a, match: "^(.*) up"}`, `{"a":"x? up"}`},
		{`{path: a, match: "(.)$"}`, `{"a":"x?"}`},
		{`{path: a, table: {"` + "\uFFFD" + `": x}}`, `{"a":"?"}`},
		{`"{a.@fromstr.b}"`, `{"a":"{\"b\":\"x?\"}"}`},
		{`"n-{a.@fromstr.b}"`, `{"a":"{\"b\":\"x\?\"}"}`},
		{`"{a.@this}"`, `{"a":"?"}`},
	} {
		rules := parse(t, strings.NewReplacer("ID", c.id, ", stream: S", "").Replace(rule))
		for _, half := range []string{`\ud800`, `\uDFFF`, `\u0041\ud800`, `\udc00\ud800`} {
			line := strings.Replace(c.line, "?", half, 1)
			text, _, err := mapped(t, rules, line)
			if err == nil || !strings.HasPrefix(err.Error(), `a.log:7: rule "#1" (r.yaml:1): `) || !strings.Contains(err.Error(), "id") {
				t.Errorf("%s of %s: got %s, %v", c.id, line, text, err)
			}
		}
		if text, _, err := mapped(t, rules, strings.Replace(c.line, "?", `\ud83d\ude00`, 1)); err != nil && !strings.Contains(c.id, "table") {
			t.Errorf("%s of text: got %s, %v", c.id, text, err)
		}
	}
	rules := parse(t, strings.NewReplacer("ID", `"{a}"`, "S", `"{s}"`).Replace(rule))
	text, _, err := mapped(t, rules, `{"a":"x","s":"s","msg":"\ud800 and \udfff\n","c":"\udbff"}`)
	if want := `{"stream":"s","kind":"node","op":"update","id":"x","object":{"message":"\ud800 and \udfff\n"}}`; err != nil || text != want {
		t.Errorf("a message that is no text: got %s, %v", text, err)
	}
	if streams, known := rules.Decoder().Streams([]byte(`{"a":"x","s":"s\ud800"}`)); known {
		t.Errorf("a stream whose name is no text is %q", streams)
	}
	other := parse(t, "rules: [{when: {a: \"x\uFFFD\"}, kind: node, op: update, id: x}]")
	if _, rule, _ := mapped(t, other, `{"a":"x\ud800"}`); rule >= 0 {
		t.Error("a condition takes half of a surrogate pair for U+FFFD")
	}
	text, _, err = mapped(t, rules, `{"a":"\udbf6\udc00","s":"􍠀"}`)
	if want := `{"stream":"􍠀","kind":"node","op":"update","id":"\udbf6\udc00","object":{}}`; err != nil || text != want {
		t.Errorf("private characters: got %s, %v", text, err)
	}
}
