package trace

import "testing"

func TestMessagePos(t *testing.T) {
	file := MessageFile("orders.v1", 3)
	for _, c := range []struct {
		pos                  Pos
		text, within, toNext string
	}{
		{MessagePos(file, 17), "orders.v1/3 offset 17", "offset 17", "offsets 17 to 18"},
		{MessagePos(file, 0), "orders.v1/3 offset 0", "offset 0", "offsets 0 to 1"},
		{Pos{File: file}, "orders.v1/3", "line 0", ""},
		{Pos{"a.jsonl", 18}, "a.jsonl:18", "line 18", "lines 18 to 19"},
		{Pos{"", 18}, "line 18", "line 18", "lines 18 to 19"},
	} {
		if got := c.pos.String(); got != c.text {
			t.Errorf("%#v: got %q, want %q", c.pos, got, c.text)
		}
		if got := c.pos.Within(); got != c.within {
			t.Errorf("%#v: got %q, want %q", c.pos, got, c.within)
		}
		if got := Span(c.pos, Pos{c.pos.File, c.pos.Line + 1}); c.toNext != "" && got != c.toNext {
			t.Errorf("%#v: got %q, want %q", c.pos, got, c.toNext)
		}
	}
	if offset, ok := MessagePos(file, 0).Offset(); offset != 0 || !ok {
		t.Errorf("the first message has the offset %d, %v", offset, ok)
	}
	if _, ok := (Pos{"a.jsonl", 1}).Offset(); ok {
		t.Error("a line has an offset")
	}
}

// A clone keeps the stream that is not in its line: a message's key.
func TestCloneKeepsTheKey(t *testing.T) {
	ev := mustDecode(t, `{"kind":"node","op":"delete","id":"n"}`)
	ev.Stream = "key"
	if c := ev.Clone(); c.Stream != "key" {
		t.Errorf("the clone is of the stream %q", c.Stream)
	}
}
