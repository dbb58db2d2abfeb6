package web

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"

	"tracecheck/validators"
)

// FuzzRequests: whatever is asked of a monitor that judges hostile streams, the
// answer is no fault of ours, and none of it is an element of a page.
func FuzzRequests(f *testing.F) {
	b := hostile(f, night)
	h := at(b, Options{Hosts: []string{"monitor.example.org"}}).handler()
	paths := []string{"/", "/streams", "/stream", "/violations", "/violation", "/violation/" + url.PathEscape(evil), "/static/style.css", "/healthz", "/readyz", "/metrics", "/events",
		"/api/overview", "/api/streams", "/api/stream", "/api/violations", "/api/violation", "/no/such", "//", "/../etc/passwd", "/%zz", "/static/../../x", "*", ""}
	for _, p := range paths {
		f.Add("GET", p, "", "localhost", "")
		f.Add("GET", p, "name=%zz&page=-1;limit=99999999999999999999&order="+url.QueryEscape(evil), "127.0.0.1", evil)
		f.Add("HEAD", p, "find="+url.QueryEscape(evil)+"&only=violations&page=2&limit=1", "[::1]:9464", "gzip")
	}
	for _, n := range names() {
		q := "name=" + url.QueryEscape(n) + "&id=" + url.QueryEscape(n) + "&find=" + url.QueryEscape(n)
		for _, p := range []string{"/stream", "/violation", "/api/stream", "/api/violation", "/api/violations", "/streams"} {
			f.Add("GET", p, q, "localhost", n)
		}
	}
	f.Add("GET", "/", "", evil, "")
	f.Add("POST", "/", "", "monitor.example.org:1", "")
	pieces := piecesOf(f)
	gone, cancel := context.WithCancel(context.Background())
	cancel() // who reads /events has gone
	f.Fuzz(func(t *testing.T, method, path, query, host, header string) {
		raw := method + " " + path + "?" + query + " HTTP/1.1\r\nHost: " + host
		for _, name := range []string{"Accept", "Accept-Encoding", "If-Modified-Since", "Range", "Last-Event-ID"} {
			raw += "\r\n" + name + ": " + header
		}
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(raw + "\r\n\r\n")))
		if err != nil {
			return // net/http answers it
		}
		if r.URL.Path == "/events" {
			r = r.WithContext(gone)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		body := w.Body.Bytes()
		if w.Code >= http.StatusInternalServerError && path != "/healthz" && path != "/readyz" {
			t.Fatalf("status %d: %s", w.Code, body)
		}
		for name, values := range w.Header() {
			if strings.ContainsFunc(strings.Join(values, ""), unicode.IsControl) {
				t.Errorf("the header %s is %q", name, values)
			}
		}
		kind, _, _ := strings.Cut(w.Header().Get("Content-Type"), ";")
		switch {
		case len(body) == 0 || w.Code == http.StatusPartialContent || w.Code == http.StatusNotModified:
		case kind == "application/json" && !json.Valid(body):
			t.Errorf("this is no JSON: %s", body)
		case kind == "text/html":
			checkPage(t, string(body), pieces)
		case kind == "":
			t.Errorf("no type of %s", body)
		}
	})
}

// piece is an element's tag, or that with the name of an attribute.
type piece struct{ tag, attribute string }

// piecesOf are those of the pages for readers who mean no harm.
func piecesOf(f *testing.F) map[piece]bool {
	all := map[piece]bool{{"a", ""}: true, {"a", "href"}: true} // of a redirection by net/http
	add := func(h http.Handler, path string) {
		root, err := html.Parse(get(h, path).Body)
		if err != nil {
			f.Fatal(err)
		}
		for n := range root.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			all[piece{n.Data, ""}] = true
			for _, a := range n.Attr {
				all[piece{n.Data, a.Key}] = true
			}
		}
	}
	changing := troubled(f, 30, night)
	changing.violations[len(changing.violations)-1].Changes = []validators.Change{{Kind: "task", ID: "t", Before: []byte(`{"a":1}`), After: []byte(`{"a":2}`)}}
	for _, b := range []*fakeBoard{newBoard(), quiet(30, night), troubled(f, 30, night), changing} {
		for _, path := range pagesOf(b) {
			add(at(b, Options{}).handler(), path)
			add(at(b, Options{}).handler(), path+"?page=2")
			add(at(b, Options{}).handler(), "streams?page=2&limit=5")
			add(at(b, Options{}).handler(), "violations?page=2&limit=1")
		}
	}
	return all
}

// checkPage: no element and no attribute is a request's or a stream's.
func checkPage(t *testing.T, page string, pieces map[piece]bool) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type == html.CommentNode {
			t.Errorf("the comment %q", n.Data)
		}
		if n.Type != html.ElementNode {
			continue
		}
		if !pieces[piece{n.Data, ""}] {
			t.Errorf("the element %s", n.Data)
		}
		for _, a := range n.Attr {
			if !pieces[piece{n.Data, a.Key}] {
				t.Errorf("the attribute %s=%q of %s", a.Key, a.Val, n.Data)
			}
			// What follows # leads nowhere else, whatever it is.
			address, _, _ := strings.Cut(a.Val, "#")
			if u, err := url.Parse(address); (a.Key == "href" || a.Key == "src" || a.Key == "action") && (err != nil || u.Scheme != "" || u.Host != "") {
				t.Errorf("the address %q of %s (%v)", a.Val, n.Data, err)
			}
		}
		if n.Data == "script" && n.FirstChild != nil && attribute(n, "type") != "application/json" {
			t.Errorf("the script %q", n.FirstChild.Data)
		}
	}
}
