package command

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestHealth(t *testing.T) {
	ready := false
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, `{"ok":true,"reasons":[]}`)
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if !ready {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		fmt.Fprintf(w, `{"ok":%t,"reasons":["kafka:events/3 is reading its checkpoint"]}`, ready)
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	addr := strings.TrimPrefix(server.URL, "http://")
	none := httptest.NewServer(mux)
	none.Close()
	for _, c := range []struct {
		args           string
		ready          bool
		status         int
		stdout, stderr string // that begin so
	}{
		{addr, false, 0, "healthy\n", ""},
		{server.URL, false, 0, "healthy\n", ""},
		{server.URL + "/", false, 0, "healthy\n", ""},
		{"--ready " + addr, false, 1, "not healthy\nkafka:events/3 is reading its checkpoint\n", ""},
		{"--ready " + addr, true, 0, "healthy\n", ""},
		{server.URL + "/elsewhere", false, 2, "", "tracecheck: " + server.URL + "/elsewhere/healthz answers 404 Not Found: this is not a monitor's health\n"},
		{none.URL, false, 2, "", "tracecheck: no answer: "},
		{"--timeout 1ns " + addr, false, 2, "", "tracecheck: no answer: "},
		{":9464:", false, 2, "", `tracecheck: "http://:9464:" is not an address`},
		{"http://", false, 2, "", `tracecheck: "http://" is not an address`},
		{"a b", false, 2, "", "tracecheck: expected one monitor: HOST:PORT, or a URL"},
	} {
		ready = c.ready
		status, stdout, stderr := tryRun(t.Context(), strings.NewReader(""), append([]string{"health"}, strings.Fields(c.args)...)...)
		if status != c.status || stdout != c.stdout || !strings.HasPrefix(stderr, c.stderr) || c.stderr == "" && stderr != "" {
			t.Errorf("%s: exit status %d, %q, %q; want %d, %q, %q", c.args, status, stdout, stderr, c.status, c.stdout, c.stderr)
		}
	}
}
