package web

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"tracecheck/specs"
)

// The page promises to judge a stream again only if a snapshot can do that.
func TestNotJudged(t *testing.T) {
	b := troubled(t, 20, night)
	h := at(b, Options{}).handler()
	its := &b.streams[11].Stream
	for final, want := range map[bool]string{false: "Not judged until its next snapshot: ", true: "Not judged any more: "} {
		its.Final = final
		if text := said(find(parsed(t, "stream", get(h, "stream?name="+its.Stream)), "stream")...); !strings.Contains(text, want+its.Unusable) {
			t.Errorf("final: %t: %q, want %q", final, text, want)
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
		{"", "cluster-00011", "cluster-00099", 100, "1 to 100 of 10,000 streams", "1 to 100 of 10,000 Next ▶"},
		{"?page=2&order=name", "cluster-00100", "cluster-00199", 100, "101 to 200 of 10,000 streams", "◀ Previous 101 to 200 of 10,000 Next ▶"},
		{"?page=100&order=name", "cluster-09900", "cluster-09999", 100, "9,901 to 10,000 of 10,000 streams", "◀ Previous 9,901 to 10,000 of 10,000"},
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
		t.Errorf("a search for nobody states %d", w.Code)
	}
	if w := get(h, "streams?page=200"); w.Code != 200 || !strings.Contains(w.Body.String(), "This page is after the end of the list") {
		t.Errorf("beyond the end it states %d", w.Code)
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
	if w := get(h, "stream?name=nobody"); w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "has no stream") {
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
		"exists create, offset 20", "gone delete, offset 131 ✗ here",
		"offset 93 23:07:09.933823Z update service 53sc3y2idqky7cr1yvbkjf488",
		"tracecheck specs swarmkit CleanupService", "17 earlier events of these objects are no longer in memory",
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
	t.Parallel()
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

// The page of a stream states why something still waits.
func TestWhyItWaits(t *testing.T) {
	h := at(troubled(t, 20, night), Options{}).handler()
	rows := find(find(parsed(t, "stream", get(h, "stream?name=cluster-00013")), "waits")[0], "tbody")
	if text := said(rows...); !strings.Contains(text, "1 slot missing (2 there, 3 asked for)") {
		t.Errorf("the page states %q", text)
	}
}
