package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tracecheck/trace"
	"tracecheck/validators"
)

func timelineOf(t *testing.T, d *Document, lines []string) *Timeline {
	t.Helper()
	tl := NewTimeline(d)
	tl.most = 300
	var decoder trace.Decoder
	for i, text := range lines {
		var ev trace.Event
		if err := decoder.Decode([]byte(text), trace.Pos{File: "t.jsonl", Line: i + 1}, &ev); err != nil {
			t.Fatal(err)
		}
		tl.Add(&ev)
	}
	return tl
}

// violationAt is a violation by one line.
func violationAt(line int, raw string) *Document {
	return &Document{
		Specs: []*validators.Spec{{Name: "tiny", Transitions: func() []validators.Transition {
			return []validators.Transition{
				{By: "orchestrator", From: "null", To: "new"}, {By: "allocator", From: "new", To: "pending"},
				{By: "one", From: "pending", To: "running"}, {By: "other", From: "pending", To: "running"},
			}
		}}},
		Result: &validators.Result{Verdict: validators.Violated, Violations: []validators.Violation{{
			Spec: "tiny", File: "t.jsonl", Line: line, FirstLine: line, LastLine: line, Events: []validators.Event{{File: "t.jsonl", Line: line, Raw: []byte(raw)}},
		}}},
	}
}

func TestTimeline(t *testing.T) {
	lines := []string{
		`{"kind":"meta","object":{"format":1}}`,
		`{"kind":"node","op":"snapshot","id":"n1","object":{"state":"up"}}`,
		`{"kind":"task","op":"create","id":"t10","time":"2026-11-20T10:00:00Z","object":{"service":"web","slot":10,"state":"new"}}`,
		`{"kind":"task","op":"create","id":"t2","time":"2026-11-20T10:00:01Z","actor":"user","object":{"service":"web","slot":2,"state":"new"}}`,
		`{"kind":"task","op":"update","id":"t2","time":"2026-11-20T10:00:03.5Z","object":{"state":"pending"}}`,
		`{"kind":"task","op":"update","id":"t2","time":"2026-11-20T10:00:03Z","object":{"state":"running"}}`,
		`{"kind":"task","op":"delete","id":"t2","time":"2026-11-20T10:00:04Z"}`,
		`{"kind":"service","op":"create","id":"web","time":"2026-11-20T10:00:05Z","object":{"replicas":1,"remove":false}}`,
		`{"kind":"service","op":"create","id":"api","time":"2026-11-20T10:00:06Z","object":{"replicas":1,"remove":true}}`,
	}
	d := violationAt(6, lines[5])
	tl := timelineOf(t, d, lines)
	data := tl.data(d.Result)
	var got []string
	for _, l := range data.Lanes {
		for i := 0; i < len(l.Rows); i += 7 {
			r := l.Rows[i : i+7]
			by := data.Texts[max(r[5], -r[5])]
			if r[5] > 0 {
				by += "!" // as it states
			}
			got = append(got, fmt.Sprintf("%s %s %v %d %d:%d %s %s %s", l.Kind, l.ID, l.Watched, r[0], r[1], r[2], data.Texts[r[3]], data.Texts[r[4]], by))
		}
	}
	// The clock does not run backwards; whom the text does not name alone, nobody.
	want := []string{
		"service web true 6 5000:8 create exists ",
		"service api false 7 6000:9 create to be removed ",
		"task t2 true 2 1000:4 create new user!",
		"task t2 true 3 3500:5 update pending allocator",
		"task t2 true 4 3500:6 update running ",
		"task t2 true 5 4000:7 delete  ",
		"task t10 false 1 0:3 create new orchestrator",
		"node n1 false 0 0:2 snapshot up ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(data.Violations) != 1 || data.Violations[0].N != 4 || data.Events != 8 || !data.Timed {
		t.Errorf("got %+v", data)
	}
	strips := tl.strips(&d.Result.Violations[0])
	if len(strips) != 1 || len(strips[0].Marks) != 4 || !strips[0].Marks[2].Breaks || strips[0].Marks[3].Breaks {
		t.Errorf("got %+v", strips)
	}
}

// Kafka messages are counted by offsets, from 0.
func TestTimelineOfMessages(t *testing.T) {
	lines := []string{
		`{"kind":"task","op":"create","id":"t1","object":{"service":"web","slot":1,"state":"new"}}`,
		`{"kind":"task","op":"update","id":"t1","object":{"state":"running"}}`,
	}
	d := violationAt(8, lines[1])
	v := &d.Result.Violations[0]
	v.File = trace.MessageFile("events", 3)
	v.Events[0].File = v.File
	d.Timeline = NewTimeline(d)
	var decoder trace.Decoder
	for i, text := range lines {
		var ev trace.Event
		if err := decoder.Decode([]byte(text), trace.MessagePos(v.File, int64(6+i)), &ev); err != nil {
			t.Fatal(err)
		}
		d.Timeline.Add(&ev)
	}
	data := d.Timeline.data(d.Result)
	if r := data.Lanes[0].Rows; data.Files[0].Name != "events/3 offset " || r[2] != 6 || r[9] != 7 {
		t.Errorf("got %+v", data)
	}
	var b bytes.Buffer
	if err := Steps(&b, d); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"at events/3 offset 7", `<span class="line">7 `, "create, offset 6", "update, offset 7", `id="timeline-data"`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if text := b.String(); strings.Contains(text, "<html") || strings.Contains(text, "<style") || strings.Contains(text, " style=") {
		t.Error("the part is more than a part, or has a style of its own")
	}
}

// Of a long trace the violation's objects stay, and the rest is counted.
func TestTimelineOfManyEvents(t *testing.T) {
	const tasks, at = 7_000, 6_900
	var lines []string
	for i := range tasks {
		for _, text := range []string{
			`{"kind":"task","op":"create","id":"t%d","time":"2026-11-20T10:00:00Z","object":{"service":"web","slot":1,"state":"new"}}`,
			`{"kind":"task","op":"update","id":"t%d","time":"2026-11-20T10:00:01Z","object":{"state":"pending"}}`,
			`{"kind":"task","op":"delete","id":"t%d","time":"2026-11-20T11:00:00Z"}`,
		} {
			lines = append(lines, fmt.Sprintf(text, i))
		}
	}
	d := violationAt(3*at+2, lines[3*at+1])
	tl := timelineOf(t, d, lines)
	data := tl.data(d.Result)
	total := 0
	for _, n := range data.Density {
		total += n
	}
	if !data.Partial || len(data.Lanes) != 1 || data.Lanes[0].ID != "t6900" || len(data.Lanes[0].Rows) != 3*7 || total != 3*tasks || data.Events != 3*tasks {
		t.Errorf("got %d lanes, %d counted of %d", len(data.Lanes), total, data.Events)
	}
	if len(data.Violations) != 1 || data.Violations[0].N != 3*at+1 {
		t.Errorf("got %+v", data.Violations)
	}
}

func TestNatural(t *testing.T) {
	want := []string{"", "a", "api / 2", "api / 10", "web / 1", "web / 01", "web / n1", "x2y3", "x2y20", "x10"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, natural)
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
