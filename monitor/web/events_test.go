package web

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// writer is a response that tells each message.
type writer struct {
	header http.Header
	status int
	lines  chan string
}

func newWriter() *writer { return &writer{http.Header{}, 200, make(chan string, 100)} }

func (w *writer) Header() http.Header              { return w.header }
func (w *writer) WriteHeader(status int)           { w.status = status }
func (w *writer) SetWriteDeadline(time.Time) error { return nil }
func (w *writer) FlushError() error                { return nil }
func (w *writer) Write(b []byte) (int, error) {
	if text := strings.TrimSpace(string(b)); strings.HasPrefix(text, "data:") {
		w.lines <- text
	}
	return len(b), nil
}

// A message comes at once, then when something changes, at most one a second,
// and now and then where nothing does. A client that goes is forgotten.
func TestEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := quiet(1, night)
		s := newServer(b, Options{})
		ctx, cancel := context.WithCancel(t.Context())
		w := newWriter()
		gone := false
		go func() {
			s.events(w, httptest.NewRequest(http.MethodGet, "/events", nil).WithContext(ctx))
			gone = true
		}()
		expect := func(what string, want int) {
			t.Helper()
			synctest.Wait()
			if len(w.lines) != want {
				t.Errorf("%s: %d messages, want %d", what, len(w.lines), want)
			}
			for len(w.lines) > 0 {
				<-w.lines
			}
		}
		expect("at first", 1)
		time.Sleep(leastGap)
		expect("unchanged", 0)
		b.change(func() {})
		expect("changed", 1)
		for range 100 {
			b.change(func() {})
			time.Sleep(10 * time.Millisecond)
		}
		expect("changed for a second", 1)
		b.change(func() {})
		expect("again, too soon", 0)
		time.Sleep(leastGap)
		expect("later", 1)
		time.Sleep(10 * mostSilence)
		expect("in silence", 10)
		cancel()
		synctest.Wait()
		if !gone || len(s.seats) != 0 {
			t.Error("a reader that has gone is still served")
		}
	})
}

func TestEventsBounded(t *testing.T) {
	s := newServer(quiet(1, night), Options{})
	for range mostReaders {
		s.seats <- struct{}{}
	}
	if w := get(s.handler(), "events"); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("one too many: status %d", w.Code)
	}
}

// Over a real connection: what changes arrives, and a client that closes its end
// frees its seat.
func TestEventsConnection(t *testing.T) {
	t.Parallel()
	b := quiet(1, night)
	s := newServer(b, Options{})
	server := httptest.NewServer(s.handler())
	defer server.Close()
	r, err := http.Get(server.URL + "/events")
	if err != nil {
		t.Fatal(err)
	}
	if kind := r.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Errorf("it is %s", kind)
	}
	lines := bufio.NewScanner(r.Body)
	message := func() {
		for lines.Scan() {
			if lines.Text() == "data: look" {
				return
			}
		}
		t.Fatal("no message")
	}
	message()
	b.change(func() {})
	message()
	r.Body.Close()
	for len(s.seats) > 0 {
		time.Sleep(time.Millisecond)
	}
}

// The bounds on other requests do not end this one.
func TestEventsOutlastTheBounds(t *testing.T) {
	t.Parallel()
	b := quiet(1, night)
	server := httptest.NewUnstartedServer(newServer(b, Options{}).handler())
	const bound = time.Second
	server.Config.ReadTimeout, server.Config.WriteTimeout = bound, bound
	server.Start()
	defer server.Close()
	r, err := http.Get(server.URL + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	lines := bufio.NewScanner(r.Body)
	for end, n := time.Now().Add(2*bound), 0; n < 2 || time.Now().Before(end); {
		if !lines.Scan() {
			t.Fatalf("the stream ended after %d messages: %v", n, lines.Err())
		}
		if lines.Text() == "data: look" {
			n++
			b.change(func() {})
		}
	}
}
