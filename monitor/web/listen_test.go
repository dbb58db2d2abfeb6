package web

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tracecheck/monitor/board"
)

func TestCheck(t *testing.T) {
	for addr, want := range map[string]string{
		"127.0.0.1:9464": "", "127.9.9.9:1": "", "[::1]:9464": "", "localhost:9464": "", "LocalHost:0": "", "[::ffff:127.0.0.1]:80": "",
		":9464": "all of this machine's addresses", "0.0.0.0:9464": "other machines", "[::]:9464": "other machines", "10.0.0.7:9464": "other machines",
		"monitor.example:9464": "other machines", "localhost.example:9464": "other machines", "127.0.0.1.example:1": "other machines",
		"": "expected an address and a port", "9464": "expected an address and a port", "127.0.0.1": "expected an address and a port", "127.0.0.1:": "is not a port", "127.0.0.1:99999": "is not a port", "::1:9464": "expected an address and a port",
	} {
		err := Check(addr, false)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", addr, err, want)
		}
		if remote := strings.Contains(want, "machine"); remote && !strings.Contains(err.Error(), "listen on 127.0.0.1:") {
			t.Errorf("%q: %v does not say what to do", addr, err)
		} else if err := Check(addr, true); (err == nil) != (want == "" || remote) {
			t.Errorf("%q, allowed: %v", addr, err)
		}
	}
	if l, err := Listen(t.Context(), "0.0.0.0:0", false); err == nil {
		l.Close()
		t.Error("it listens to all")
	}
}

// Requests are for this server only if they name it.
func TestHost(t *testing.T) {
	loopback, outside := net.IPv4(127, 0, 0, 1), net.IPv4(10, 0, 0, 7)
	for _, c := range []struct {
		local net.IP
		hosts []string
		host  string
		want  bool
	}{
		{loopback, nil, "localhost:9464", true}, {loopback, nil, "127.0.0.1:9464", true}, {loopback, nil, "[::1]:9464", true}, {loopback, nil, "[::1]", true},
		{loopback, nil, "LOCALHOST", true}, {loopback, nil, "localhost.", true},
		{loopback, nil, "attacker.example:9464", false}, {loopback, nil, "localhost.attacker.example", false}, {loopback, nil, "127.0.0.1.attacker.example", false},
		{loopback, nil, "", false}, {loopback, nil, "10.0.0.7:9464", false},
		{loopback, []string{"ops.example"}, "ops.example", true}, {loopback, []string{"ops.example"}, "OPS.example:443", true}, {loopback, []string{"ops.example"}, "x.ops.example", false},
		{outside, nil, "monitor.example:9464", true}, {outside, nil, "10.0.0.7:9464", true},
		{outside, []string{"ops.example"}, "attacker.example", false}, {outside, []string{"ops.example"}, "10.0.0.7:9464", true}, {outside, []string{"ops.example"}, "ops.example", true},
	} {
		h := Handler(quiet(1, night), Options{Hosts: c.hosts})
		for _, path := range []string{"/", "/api/overview", "/metrics", "/healthz", "/events"} {
			method := http.MethodGet
			if path == "/events" {
				method = http.MethodHead
			}
			r := httptest.NewRequest(method, path, nil)
			r.Host = c.host
			r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: c.local, Port: 9464}))
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			want := http.StatusOK
			if !c.want {
				want = http.StatusMisdirectedRequest
			}
			if w.Code != want {
				t.Errorf("%s at %v, with %v: %s is %d, want %d", c.host, c.local, c.hosts, path, w.Code, want)
			}
		}
	}
}

func TestOnlyReading(t *testing.T) {
	h := Handler(quiet(1, night), Options{})
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"} {
		r := httptest.NewRequest(method, "/metrics", nil)
		r.Host = "localhost"
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: status %d", method, w.Code)
		}
	}
	w := get(h, "")
	for _, name := range []string{"Content-Security-Policy", "X-Content-Type-Options", "X-Frame-Options", "Referrer-Policy", "Cross-Origin-Resource-Policy"} {
		if w.Header().Get(name) == "" {
			t.Errorf("there is no %s", name)
		}
	}
}

// slow is a board that answers when it is asked to.
type slow struct {
	*fakeBoard
	asked, answer chan struct{}
}

func (s slow) Overview() board.Overview {
	close(s.asked)
	<-s.answer
	return s.fakeBoard.Overview()
}

// When the server ends, requests under way are answered, and those that listen
// are let go.
func TestServe(t *testing.T) {
	b := slow{quiet(1, night), make(chan struct{}), make(chan struct{})}
	l, err := Listen(t.Context(), "127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- Access{}.Serve(ctx, l, Handler(b, Options{}), nil) }()
	base := "http://" + l.Addr().String()
	events, err := http.Get(base + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer events.Body.Close()
	status := make(chan int, 1)
	go func() {
		r, err := http.Get(base + "/healthz")
		if err != nil {
			t.Error(err)
			status <- 0
			return
		}
		r.Body.Close()
		status <- r.StatusCode
	}()
	<-b.asked
	cancel()
	for {
		if _, err := events.Body.Read(make([]byte, 1024)); err != nil {
			break
		}
	}
	close(b.answer)
	if got := <-status; got != http.StatusOK {
		t.Errorf("the request under way was answered by %d", got)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, err := net.DialTimeout("tcp", l.Addr().String(), time.Second); err == nil {
		t.Error("the server still listens")
	}
}
