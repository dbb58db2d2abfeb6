package web

import (
	"strings"
	"testing"
	"time"

	"tracecheck/monitor/board"
)

// The charts show the samples where they belong: an hour of 10 events a second, then 20,
// and one violation half an hour ago. The lag is known since then.
func TestCharts(t *testing.T) {
	b := quiet(1, night)
	for age := time.Hour; age >= 0; age -= board.SampleEvery {
		s := board.Sample{At: night.Add(-age), Rate: 10, Lag: -1}
		if age <= 30*time.Minute {
			s.Rate, s.Lag = 20, 300
		}
		if age == 30*time.Minute {
			s.Violations = 1
		}
		b.past = append(b.past, s)
	}
	list, over := at(b, Options{}).charts(&b.overview)
	if len(list) != 3 || over != time.Hour {
		t.Fatalf("%d charts over %s", len(list), over)
	}
	want := []struct {
		name, now, most string
		path            []string
		not             string
	}{
		// Half of the height is half of the most. The right half begins at place 89 or 90.
		{"rate", "20/s", "20/s", []string{`d="M0 31.0h1L2 31.0`, "L358 2.0"}, "M2"},
		{"violations", "0", "1", []string{`d="M178 60V2.0"`}, "L"},
		{"lag", "300 messages", "300 messages", []string{`d="M178 2.0h1`, "L358 2.0"}, "M2 "},
	}
	for i, c := range list {
		w := want[i]
		if c.Name != w.name || c.Now != w.now || c.Most != w.most || strings.Contains(string(c.Path), w.not) {
			t.Errorf("%+v", c)
		}
		for _, piece := range w.path {
			if !strings.Contains(string(c.Path), piece) {
				t.Errorf("%s has no %s: %s", c.Name, piece, c.Path)
			}
		}
	}
	page := parsed(t, "", get(at(b, Options{}).handler(), ""))
	if n := len(find(page, "path")); n != 3 || !strings.Contains(said(find(page, "charts")...), "The last 1h 0m") {
		t.Errorf("the page has %d paths: %s", n, said(find(page, "charts")...))
	}
	b.past = nil
	if page := parsed(t, "", get(at(b, Options{}).handler(), "")); len(find(page, "svg")) != 0 {
		t.Error("there is nothing to draw, and it is drawn")
	}
}
