package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
	"golang.org/x/net/html"

	"tracecheck/monitor/board"
	"tracecheck/specs"
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

// The banner says first whether the monitor judges, then what it found.
func TestBanner(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(b *fakeBoard)
		class  string
		title  string
		notes  string // a part of them
	}{
		{"well", func(*fakeBoard) {}, "good", "✓ All well", "20 streams judged, nothing at fault in the last 24 hours"},
		{"no part", func(b *fakeBoard) { b.overview.Parts = nil }, "unsure", "… Not judging yet", "no part of the source is this process's"},
		{"no event", func(b *fakeBoard) { b.overview.Totals.Streams = 0 }, "unsure", "… No event yet", "Nothing has come from kafka broker:9092, topic events"},
		{"loading", func(b *fakeBoard) { b.overview.Parts[1].State = board.Loading }, "unsure", "… Not judging 1 of 2 parts yet", "kafka:events/1 is reading its checkpoint"},
		{"failed", func(b *fakeBoard) {
			b.overview.Parts[0].State, b.overview.Parts[0].Reason = board.Failed, "the topic is gone"
		}, "bad", "✗ Not judging 1 of 2 parts", "kafka:events/0 has failed: the topic is gone"},
		{"alerts stuck", func(b *fakeBoard) {
			b.overview.Parts[0].State, b.overview.Parts[1].State = board.Waiting, board.Waiting
			b.overview.Alerts[0].Pending, b.overview.Alerts[0].LastError = 1000, "no route to host"
		}, "bad", "✗ Not judging", "too many alerts are pending; 1,000 for alertmanager (no route to host)"},
		{"late", func(b *fakeBoard) { b.overview.Parts[0].Saved = night.Add(-31 * time.Second) }, "unsure", "! Checkpoints are late", "kafka:events/0 has had no checkpoint for 31s, and should every 10s"},
		{"a violation", func(b *fakeBoard) { b.violations = []board.Violation{{Found: night.Add(-23 * time.Hour)}} }, "bad", "✗ 1 stream at fault", "1 violation in the last 24 hours, in 1 stream; the latest 23h 0m ago"},
		{"an old violation", func(b *fakeBoard) { b.violations = []board.Violation{{Found: night.Add(-25 * time.Hour)}} }, "good", "✓ All well", "nothing at fault"},
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
			t.Errorf("%s: the page says %q, want %q", c.name, title, c.title)
		}
		if notes := said(find(banner[0], "ul")...); !strings.Contains(notes, c.notes) {
			t.Errorf("%s: the page says %q, want %q", c.name, notes, c.notes)
		}
		if pill := said(find(parsed(t, c.name, get(h, "streams")), "pill")...); pill != c.title {
			t.Errorf("%s: the other pages say %q", c.name, pill)
		}
		var overview struct {
			Status, Headline string
			Reasons          []string
		}
		if err := json.Unmarshal(get(h, "api/overview").Body.Bytes(), &overview); err != nil || overview.Status != c.class || !strings.HasSuffix(c.title, overview.Headline) {
			t.Errorf("%s: the JSON says %+v (%v)", c.name, overview, err)
		}
	}
}

// Of many streams a page at a time is shown: searched, narrowed and in order.
func TestStreams(t *testing.T) {
	b := troubled(t, 10_000, night)
	h := at(b, Options{}).handler()
	for _, c := range []struct {
		query         string
		first, last   string
		rows          int
		number, pager string
	}{
		{"", "cluster-00011", "cluster-00099", 100, "1 to 100 of 10,000 streams", "1 to 100 of 10,000 More ▶"},
		{"?page=2&order=name", "cluster-00100", "cluster-00199", 100, "101 to 200 of 10,000 streams", "◀ Before 101 to 200 of 10,000 More ▶"},
		{"?page=100&order=name", "cluster-09900", "cluster-09999", 100, "9,901 to 10,000 of 10,000 streams", "◀ Before 9,901 to 10,000 of 10,000"},
		{"?find=0999", "cluster-00999", "cluster-09999", 11, "1 to 11 of 11 streams that match; show all", ""},
		{"?only=violations", "cluster-00007", "cluster-00007", 1, "1 to 1 of 1 stream that match; show all", ""},
		{"?only=undesired", "cluster-00013", "cluster-00013", 1, "1 to 1 of 1 stream that match; show all", ""},
	} {
		root := parsed(t, c.query, get(h, "streams"+c.query))
		names := find(find(root, "list")[0], "tbody")
		var links []string
		for _, a := range find(names[0], "a") {
			links = append(links, said(a))
		}
		if len(links) != c.rows || links[0] != c.first || links[len(links)-1] != c.last {
			t.Errorf("%s: %d streams, %v", c.query, len(links), links)
		}
		if text := said(find(root, "number")...); text != c.number {
			t.Errorf("%s: %q, want %q", c.query, text, c.number)
		}
		if text := said(find(find(root, "list")[0], "nav")...); text != c.pager {
			t.Errorf("%s: %q, want %q", c.query, text, c.pager)
		}
	}
	if w := get(h, "streams?find=nobody"); w.Code != 200 || !strings.Contains(w.Body.String(), "No stream matches") {
		t.Errorf("a search for nobody says %d", w.Code)
	}
	if w := get(h, "streams?page=200"); w.Code != 200 || !strings.Contains(w.Body.String(), "The list ends before this page") {
		t.Errorf("beyond the end it says %d", w.Code)
	}
	for _, query := range []string{"order=size", "only=good", "page=0", "page=-1", "page=x", "page=99999999999999999999", "limit=1001"} {
		for _, path := range []string{"streams?", "api/streams?"} {
			if w := get(h, path+query); w.Code != http.StatusBadRequest {
				t.Errorf("%s%s: status %d", path, query, w.Code)
			}
		}
	}
}

// A stream is found whatever it is called, by the link that the list has.
func TestStreamNames(t *testing.T) {
	b := hostile(t, night)
	h := at(b, Options{}).handler()
	root := parsed(t, "streams", get(h, "streams"))
	reached := map[string]bool{}
	for _, a := range find(find(root, "list")[0], "a") {
		link, err := url.Parse(attribute(a, "href"))
		if err != nil {
			t.Fatal(err)
		}
		w := get(h, link.String())
		if w.Code != http.StatusOK {
			t.Errorf("%s: status %d", link, w.Code)
		}
		reached[link.Query().Get("name")] = true
	}
	for _, name := range names() {
		if !reached[name] {
			t.Errorf("nothing leads to %q", name)
		}
		var got struct{ Stream string }
		if w := get(h, "api/stream?name="+url.QueryEscape(name)); json.Unmarshal(w.Body.Bytes(), &got) != nil || got.Stream != strings.ToValidUTF8(name, "\ufffd") {
			t.Errorf("%q: the JSON names %q", name, got.Stream)
		}
	}
	if w := get(h, "stream?name=nobody"); w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "knows no stream") {
		t.Errorf("a stream that is not known: status %d", w.Code)
	}
}

// A stream whose part does not answer keeps nobody waiting for good.
func TestBusyStream(t *testing.T) {
	b := quiet(1, night)
	b.busy = true
	s := at(b, Options{})
	s.lookTime = time.Millisecond
	for _, path := range []string{"stream?name=cluster-00000", "api/stream?name=cluster-00000"} {
		if w := get(s.handler(), path); w.Code != http.StatusServiceUnavailable {
			t.Errorf("%s: status %d", path, w.Code)
		}
	}
}

// The page of a violation has what the report of it has: why, on which values,
// and what happened to its objects.
func TestViolation(t *testing.T) {
	b := troubled(t, 20, night)
	h := at(b, Options{Specs: specs.All()}).handler()
	next := b.violations[0]
	if next.Rule != "Next" {
		t.Fatalf("the first violation is of %s", next.Rule)
	}
	w := get(h, "violation/"+next.ID)
	if w.Code != http.StatusFound || w.Header().Get("Location") != "../violation?id="+next.ID {
		t.Errorf("the short link: status %d, to %q", w.Code, w.Header().Get("Location"))
	}
	root := parsed(t, "violation", get(h, "violation?id="+next.ID))
	text := said(root)
	for _, want := range []string{
		"In stream cluster-00007 of kafka:events/0, found 3m 0s ago",
		"The step also breaks: swarmkit Inv",
		"No action of swarmkit allows this step", "events/0 offset 131",
		"CleanupService (orchestrator) 2 of 4 failed", "✗ failed services[sid].remove = TRUE", "but 5 tasks",
		"is deleted; it was", "replicas 5",
		"stands create, offset 20", "gone delete, offset 131 ✗ here",
		"offset 93 23:07:09.933823Z update service 53sc3y2idqky7cr1yvbkjf488",
		"tracecheck specs swarmkit CleanupService", "17 earlier events of these objects are not at hand any more",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if len(find(root, "timeline-data")) != 1 {
		t.Error("there is no timeline")
	}
	var got struct {
		ID       string
		Rule     string
		Timeline []struct{ Line int }
	}
	if err := json.Unmarshal(get(h, "api/violation?id="+next.ID).Body.Bytes(), &got); err != nil || got.ID != next.ID || got.Rule != "Next" || len(got.Timeline) != 8 || got.Timeline[7].Line != next.Line {
		t.Errorf("the JSON is %+v (%v)", got, err)
	}
	for _, path := range []string{"violation?id=", "violation?id=x", "api/violation?id=x"} {
		if w := get(h, path); w.Code != http.StatusNotFound {
			t.Errorf("%s: status %d", path, w.Code)
		}
	}
	// Without lines at hand there is no timeline, and all the rest.
	b.violations[0].Timeline = nil
	root = parsed(t, "violation", get(h, "violation?id="+next.ID))
	if len(find(root, "timeline-data")) != 0 || !strings.Contains(said(root), "CleanupService") {
		t.Error("without lines the page is another")
	}
	var list struct{ Violations []struct{ ID string } }
	for query, want := range map[string]int{"": 2, "?name=cluster-00007": 2, "?name=cluster-00008": 0, "?limit=1&page=2": 1} {
		if err := json.Unmarshal(get(h, "api/violations"+query).Body.Bytes(), &list); err != nil || len(list.Violations) != want {
			t.Errorf("api/violations%s has %d, want %d (%v)", query, len(list.Violations), want, err)
		}
	}
}

// No page refers to the outside, has a script or a style of its own, or takes a
// stream's text for anything but text; every link of a page leads somewhere.
func TestPagesAreSafe(t *testing.T) {
	for name, b := range map[string]*fakeBoard{"empty": newBoard(), "well": quiet(300, night), "troubled": troubled(t, 300, night), "hostile": hostile(t, night)} {
		h := at(b, Options{Specs: specs.All(), Interval: time.Second}).handler()
		for page, path := range pagesOf(b) {
			w := get(h, path)
			root := parsed(t, path, w)
			if w.Header().Get("Content-Security-Policy") != policy {
				t.Errorf("%s %s: no policy", name, page)
			}
			for n := range root.Descendants() {
				if n.Type != html.ElementNode {
					continue
				}
				switch n.Data {
				case "script":
					if attribute(n, "src") == "" && attribute(n, "type") != "application/json" {
						t.Errorf("%s %s: a script in the page", name, page)
					}
				case "style", "img", "iframe", "object", "base":
					t.Errorf("%s %s: a %s in the page", name, page, n.Data)
				}
				for _, a := range n.Attr {
					if a.Key == "style" || strings.HasPrefix(a.Key, "on") {
						t.Errorf("%s %s: %s=%q", name, page, a.Key, a.Val)
					}
					if a.Key != "href" && a.Key != "src" && a.Key != "action" {
						continue
					}
					to, err := url.Parse(a.Val)
					if err != nil || to.IsAbs() || to.Host != "" || strings.HasPrefix(to.Path, "/") {
						t.Errorf("%s %s: %s=%q leads outside", name, page, a.Key, a.Val)
						continue
					}
					if to.Path != "" && to.Path != "healthz" && to.Path != "readyz" {
						if w := get(h, strings.TrimPrefix(to.String(), "./")); w.Code != http.StatusOK {
							t.Errorf("%s %s: %s leads to status %d", name, page, a.Val, w.Code)
						}
					}
				}
			}
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
	if w := get(h, ""); w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), "The judging goes on") {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
	if logged.Len() != 1 || !strings.Contains(fmt.Sprint(logged.All()[0].ContextMap()["panic"]), "nil pointer") {
		t.Errorf("the log says %v", logged.All())
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
