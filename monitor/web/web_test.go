package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
	"golang.org/x/net/html"

	"tracecheck/monitor/board"
)

// at is a server of the board at night.
func at(b board.Board, opts Options) *server {
	s := newServer(b, opts)
	s.now = func() time.Time { return night }
	return s
}

// get asks as a user of this machine does.
func get(h http.Handler, path string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "/"+path, nil)
	r.Host = "127.0.0.1:9464"
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// parsed is a page as a browser reads it, with each element's text.
func parsed(t *testing.T, path string, w *httptest.ResponseRecorder) *html.Node {
	t.Helper()
	text := w.Body.String()
	if strings.Contains(text, "ZgotmplZ") || strings.Contains(text, "<no value>") || !strings.HasSuffix(text, "</html>\n") {
		t.Errorf("/%s: the page is not whole", path)
	}
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// find returns the elements of an id or a tag.
func find(n *html.Node, what string) []*html.Node {
	var found []*html.Node
	for c := range n.Descendants() {
		if c.Type == html.ElementNode && (c.Data == what || attribute(c, "id") == what) {
			found = append(found, c)
		}
	}
	return found
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

var space = regexp.MustCompile(`\s+`)

// said is the text of the elements.
func said(nodes ...*html.Node) string {
	var b strings.Builder
	for _, n := range nodes {
		for c := range n.Descendants() {
			if c.Type == html.TextNode {
				b.WriteString(c.Data)
			}
		}
		b.WriteString(" ")
	}
	return strings.TrimSpace(space.ReplaceAllString(b.String(), " "))
}

// The banner states first whether the monitor judges, then what it found.
func TestBanner(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(b *fakeBoard)
		class  string
		title  string
		notes  string // a part of them
	}{
		{"well", func(*fakeBoard) {}, "good", "✓ All well", "20 streams judged, no faults in the last 24 hours"},
		{"no part", func(b *fakeBoard) { b.overview.Parts = nil }, "unsure", "… Not judging yet", "no part of the source is this process's"},
		{"no event", func(b *fakeBoard) { b.overview.Totals.Streams = 0 }, "unsure", "… No event yet", "No event has been read from kafka broker:9092, topic events"},
		{"loading", func(b *fakeBoard) { b.overview.Parts[1].State = board.Loading }, "unsure", "… Not judging 1 of 2 parts yet", "kafka:events/1 is reading its checkpoint"},
		{"failed", func(b *fakeBoard) {
			b.overview.Parts[0].State, b.overview.Parts[0].Reason = board.Failed, "the topic is gone"
		}, "bad", "✗ Not judging 1 of 2 parts", "kafka:events/0 has failed: the topic is gone"},
		{"alerts stuck", func(b *fakeBoard) {
			b.overview.Parts[0].State, b.overview.Parts[1].State = board.Waiting, board.Waiting
			b.overview.Alerts[0].Pending, b.overview.Alerts[0].LastError = 1000, "no route to host"
		}, "bad", "✗ Not judging", "too many alerts are pending; 1,000 for alertmanager (no route to host)"},
		{"a broker is away", func(b *fakeBoard) { b.overview.Parts[1].Answered = night.Add(-42 * time.Second) }, "bad", "✗ No answer from 1 of 2 parts", "kafka:events/1: no answer for 42s. Its source does not answer"},
		{"all brokers are away", func(b *fakeBoard) {
			b.overview.Parts[0].Answered, b.overview.Parts[1].Answered = night.Add(-42*time.Second), night.Add(-42*time.Second)
			b.violations = []board.Violation{{Found: night}}
		}, "bad", "✗ No answer from the source", "1 violation in the last 24 hours"},
		{"a transaction", func(b *fakeBoard) {
			b.overview.Parts[1].Blocked, b.overview.Parts[1].Lag = night.Add(-16*time.Second), 1
		}, "unsure", "! Blocked by a transaction", "kafka:events/1 has been blocked for 16s by an open transaction, with 1 message not judged yet"},
		{"late", func(b *fakeBoard) { b.overview.Parts[0].Saved = night.Add(-31 * time.Second) }, "unsure", "! Checkpoints are late", "kafka:events/0 has had no checkpoint for 31s; one is due every 10s"},
		{"a violation", func(b *fakeBoard) { b.violations = []board.Violation{{Found: night.Add(-23 * time.Hour)}} }, "bad", "✗ 1 stream at fault", "1 violation in the last 24 hours, in 1 stream; the latest 23h 0m ago"},
		{"an old violation", func(b *fakeBoard) { b.violations = []board.Violation{{Found: night.Add(-25 * time.Hour)}} }, "good", "✓ All well", "no faults"},
		{"not judged", func(b *fakeBoard) {
			b.violations = []board.Violation{{Found: night}, {Found: night}}
			b.violations[0].Stream, b.violations[1].Stream = "cluster-00001", "cluster-00002"
			b.streams[2].Unusable, b.streams[3].Unusable, b.overview.Totals.Unusable = "a gap", "a gap", 2
		}, "bad", "✗ 3 streams at fault", "2 streams not judged"},
		{"not desired", func(b *fakeBoard) { b.overview.Totals.Undesired = 4 }, "good", "✓ All well", "4 streams not in the desired state"},
	} {
		b := quiet(20, night)
		c.change(b)
		h := at(b, Options{Interval: 10 * time.Second}).handler()
		root := parsed(t, c.name, get(h, ""))
		banner := find(root, "verdict")
		if len(banner) != 1 || attribute(banner[0], "class") != "banner "+c.class {
			t.Errorf("%s: the banner is no %s one", c.name, c.class)
		}
		if title := said(find(banner[0], "h1")...); title != c.title {
			t.Errorf("%s: the page states %q, want %q", c.name, title, c.title)
		}
		if notes := said(find(banner[0], "ul")...); !strings.Contains(notes, c.notes) {
			t.Errorf("%s: the page states %q, want %q", c.name, notes, c.notes)
		}
		if pill := said(find(parsed(t, c.name, get(h, "streams")), "pill")...); pill != c.title {
			t.Errorf("%s: the other pages say %q", c.name, pill)
		}
		var overview struct {
			Status, Headline string
			Reasons          []string
		}
		if err := json.Unmarshal(get(h, "api/overview").Body.Bytes(), &overview); err != nil || overview.Status != c.class || !strings.HasSuffix(c.title, overview.Headline) {
			t.Errorf("%s: the JSON states %+v (%v)", c.name, overview, err)
		}
	}
}

func TestAgo(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "now", 999 * time.Millisecond: "now", -999 * time.Millisecond: "now", time.Second: "1s ago", 59 * time.Second: "59s ago",
		192 * time.Second: "3m 12s ago", time.Hour: "1h 0m ago", 25*time.Hour + 59*time.Minute: "1d 1h ago", 400 * 24 * time.Hour: "400d 0h ago", -90 * time.Second: "in 1m 30s",
	} {
		if got := ago(d); got != want {
			t.Errorf("%d is %q, want %q", d, got, want)
		}
	}
}

// A handler that panics is a fault of its own, not the monitor's end.
func TestPanic(t *testing.T) {
	core, logged := observer.New(zap.ErrorLevel)
	h := Handler(nil, Options{Log: zap.New(core)})
	if w := get(h, ""); w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), "Judging continues") {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
	if logged.Len() != 1 || !strings.Contains(fmt.Sprint(logged.All()[0].ContextMap()["panic"]), "nil pointer") {
		t.Errorf("the log states %v", logged.All())
	}
}

func TestAssets(t *testing.T) {
	h := Handler(newBoard(), Options{})
	for _, name := range []string{"style.css", "live.js", "timeline.js", "icon.svg"} {
		w := get(h, loadAssets().link(name))
		if w.Code != http.StatusOK || w.Body.Len() < 100 || !strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
			t.Errorf("%s: status %d, %s", name, w.Code, w.Header())
		}
		if w := get(h, "static/"+name+"?v=old"); w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s of another version may be kept", name)
		}
	}
	for _, path := range []string{"static/page.tmpl", "static/../web.go", "static/", "nothing", "api/nothing"} {
		if w := get(h, path); w.Code == http.StatusOK {
			t.Errorf("%s: status %d", path, w.Code)
		}
	}
}
