package monitor

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tracecheck/trace"
	"tracecheck/validators"
)

func nodeLine(stream, id string, n int) string {
	return fmt.Sprintf(`{"stream":%q,"kind":"node","op":"update","id":%q,"object":{"state":"up"},"n":%d}`, stream, id, n)
}

// keep decodes the line and has the ring keep it.
func (l *timelines) keep(t *testing.T, file string, number int, raw string) {
	t.Helper()
	var ev trace.Event
	if err := new(trace.Decoder).Decode([]byte(raw), trace.Pos{File: file, Line: number}, &ev); err != nil {
		t.Fatal(err)
	}
	l.kept.Add([]trace.Event{ev})
}

// of is a violation of the step that is this line.
func of(stream, file string, number int, raw string) *validators.Violation {
	return &validators.Violation{
		Stream: stream, File: file, Line: number, FirstLine: number, LastLine: number,
		Events: []validators.Event{{File: file, Line: number, Raw: []byte(raw)}},
	}
}

// A timeline is the lines about the step's objects, up to the step, in order.
func TestTimeline(t *testing.T) {
	type kept struct {
		file   string
		number int
		raw    string
	}
	step := nodeLine("s", "n1", 0)
	escaped := strings.Replace(step, "n1", `\u006e1`, 1)
	for _, c := range []struct {
		name  string
		lines []kept
		want  []int // of the lines
	}{
		{"of its objects and stream", []kept{
			{"f", 1, nodeLine("s", "n1", 1)}, {"f", 2, nodeLine("s", "n2", 2)}, {"f", 3, nodeLine("other", "n1", 3)},
			{"f", 4, nodeLine("s", "n1 ", 4)}, {"f", 5, escaped}, {"f", 6, step}}, []int{0, 4, 5}},
		{"not what comes behind it", []kept{{"f", 1, nodeLine("s", "n1", 1)}, {"f", 6, step}, {"f", 7, nodeLine("s", "n1", 1)}}, []int{0, 1}},
		{"nor where the step is not at hand", []kept{{"f", 1, nodeLine("s", "n1", 1)}, {"f", 7, nodeLine("s", "n1", 1)}}, []int{0}},
		{"what came before the file was rotated", []kept{{"f", 1000, nodeLine("s", "n1", 1)}, {"f", 1001, nodeLine("s", "n1", 2)}, {"f", 6, step}, {"f", 7, nodeLine("s", "n1", 3)}}, []int{0, 1, 2}},
		{"and the same number there", []kept{{"f", 5, nodeLine("s", "n1", 1)}, {"f", 6, nodeLine("s", "n1", 1)}, {"f", 5, nodeLine("s", "n1", 2)}, {"f", 6, step}}, []int{0, 1, 2, 3}},
		{"of another file", []kept{{"e", 1000, nodeLine("s", "n1", 1)}, {"f", 6, step}}, []int{0, 1}},
		{"the same line in two streams", []kept{{"f", 6, nodeLine("other", "n1", 1)}, {"f", 6, step}}, []int{1}},
	} {
		var l timelines
		l.begin(leastLines)
		for _, k := range c.lines {
			l.keep(t, k.file, k.number, k.raw)
		}
		shown := l.timeline(of("s", "f", 6, step), "p", time.Now())
		var got, want []string
		for _, line := range shown.Timeline {
			got = append(got, fmt.Sprint(line.Pos, line.Raw))
		}
		for _, i := range c.want {
			k := c.lines[i]
			want = append(want, fmt.Sprint(trace.Pos{File: k.file, Line: k.number}, k.raw))
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || shown.Earlier != 0 {
			t.Errorf("%s: got\n%s\nwant\n%s\nand %d more", c.name, strings.Join(got, "\n"), strings.Join(want, "\n"), shown.Earlier)
		}
	}
}

// A timeline waits for lines that another goroutine is keeping.
func TestTimelineWaits(t *testing.T) {
	var l timelines
	l.begin(leastLines)
	step := nodeLine("s", "n1", 0)
	l.adding.Go(func() {
		time.Sleep(10 * time.Millisecond)
		l.keep(t, "f", 6, step)
	})
	if shown := l.timeline(of("s", "f", 6, step), "p", time.Now()); len(shown.Timeline) != 1 {
		t.Errorf("the timeline is %+v", shown.Timeline)
	}
}

// A timeline has a bound in lines and in bytes, which the latest fill; and no
// more are made in a second than can be.
func TestTimelineIsBounded(t *testing.T) {
	for _, padding := range []int{0, 32 << 10} {
		var l timelines
		l.begin(DefaultLines)
		const all = 300
		raw := ""
		for n := 1; n <= all; n++ {
			raw = strings.TrimSuffix(nodeLine("s", "n1", n), "}") + `,"pad":"` + strings.Repeat("x", padding) + `"}`
			l.keep(t, "f", n, raw)
		}
		now := time.Unix(1000, 0)
		v := of("s", "f", all, raw)
		shown := l.timeline(v, "p", now)
		n, bytes := len(shown.Timeline), 0
		for i, line := range shown.Timeline {
			bytes += len(line.Raw)
			if line.Pos.Line != all-n+1+i {
				t.Fatalf("the %dth of %d lines is %d", i, n, line.Pos.Line)
			}
		}
		if n == 0 || n > mostTimeline || bytes > mostTimelineBytes || n+shown.Earlier != all {
			t.Errorf("%d lines of %d bytes, and %d more", n, bytes, shown.Earlier)
		}
		if n < mostTimeline && bytes+len(raw) <= mostTimelineBytes {
			t.Errorf("%d lines of %d bytes: there is room for more", n, bytes)
		}
		made := 1
		for range 2 * mostTimelines {
			if s := l.timeline(v, "p", now); len(s.Timeline) > 0 {
				made++
			} else if s.ID != v.ID || s.Part != "p" {
				t.Fatalf("without a timeline it is %+v", s)
			}
		}
		if made != mostTimelines {
			t.Errorf("%d timelines were made in a second, want %d", made, mostTimelines)
		}
		if s := l.timeline(v, "p", now.Add(time.Second)); len(s.Timeline) == 0 {
			t.Error("none is made in the next second")
		}
	}
}
