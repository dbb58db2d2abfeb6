package alert

import (
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

const apiPath = "/api/v2/alerts"

// What Alertmanager gets of a violation, and of a stream that is not judged.
func TestWebhookBody(t *testing.T) {
	am := newAlertmanager(t)
	w := newWebhook(t, WebhookOptions{URL: am.URL + apiPath, PublicURL: "https://monitor.example/tc/", Labels: map[string]string{"cluster": "prod"}})
	w.now = func() time.Time { return found.Add(5 * time.Minute) }
	lost := simple("b")[0]
	lost.Message, lost.Stream = "a gap", ""
	if err := w.Deliver(t.Context(), []Alert{violated("a", "s"), lost}); err != nil {
		t.Fatal(err)
	}
	want := map[string]sent{
		"a": {
			Labels: map[string]string{
				"alertname": "TracecheckViolation", "severity": "critical", "cluster": "prod", "id": "a", "part": "kafka:events/3",
				"stream": "s", "spec": "swarmkit", "rule": "Next", "kind": "transition",
			},
			Annotations: map[string]string{
				"summary": `swarmkit: transition Next is violated in stream "s": service web is deleted; it was: replicas 1`,
				"description": "no sequence of actions explains this step\nNearest: CleanupService (orchestrator)\n" +
					"  failed: services[sid].remove = TRUE\n  failed: TasksOf(sid) = {} but 5 tasks",
				"position": "events/3 offset 17, seq 4, 2026-11-21T09:59:59Z",
				"link":     "https://monitor.example/tc/violation/a",
			},
			StartsAt: "2026-11-21T10:00:00.123Z", EndsAt: "2026-11-21T11:05:00.123Z",
			GeneratorURL: "https://monitor.example/tc/violation/a",
		},
		"b": {
			Labels:      map[string]string{"alertname": "TracecheckStreamUnusable", "severity": "warning", "cluster": "prod", "id": "b", "part": "p", "kind": "unusable"},
			Annotations: map[string]string{"summary": `stream "" is not judged`, "description": "a gap", "link": "https://monitor.example/tc/"},
			StartsAt:    "2026-11-21T10:00:00.123Z", EndsAt: "2026-11-21T11:05:00.123Z",
			GeneratorURL: "https://monitor.example/tc/",
		},
	}
	if !reflect.DeepEqual(am.firing, want) {
		t.Errorf("got  %+v\nwant %+v", am.firing, want)
	}
}

// Whatever is in an alert, Alertmanager takes it and people can read it.
func TestWebhookBounds(t *testing.T) {
	am := newAlertmanager(t)
	w := newWebhook(t, WebhookOptions{URL: am.URL + apiPath, ResolveAfter: time.Minute, Labels: map[string]string{"severity": "page"}})
	w.now = func() time.Time { return found.Add(-time.Hour) } // a clock that was put back
	long := strings.Repeat("日\xff\n", 3000)
	a := violated("a", long)
	a.Message, a.Violation.Rule = long, long
	for range 50 {
		a.Violation.Nearest = append(a.Violation.Nearest, a.Violation.Nearest[0])
		a.Violation.Nearest[0].Failed = append(a.Violation.Nearest[0].Failed, long)
	}
	if err := w.Deliver(t.Context(), []Alert{a}); err != nil {
		t.Fatal(err)
	}
	s := am.firing["a"]
	for name, value := range s.Labels {
		if len(value) > 256 {
			t.Errorf("the label %s has %d bytes", name, len(value))
		}
	}
	for name, value := range s.Annotations {
		if len(value) > 8000 {
			t.Errorf("the annotation %s has %d bytes", name, len(value))
		}
	}
	if s.Labels["severity"] != "page" || s.Annotations["link"] != "" || s.EndsAt != "2026-11-21T10:01:00.123Z" {
		t.Errorf("severity %q, link %q, end %s", s.Labels["severity"], s.Annotations["link"], s.EndsAt)
	}
}

// What the server states decides whether to try again, and when.
func TestWebhookAnswers(t *testing.T) {
	am := newAlertmanager(t)
	w := newWebhook(t, WebhookOptions{URL: am.URL + apiPath})
	for _, c := range []struct {
		status  int
		retry   string
		refused bool
		after   time.Duration // 0: as usual
	}{
		{status: 200}, {status: 202}, {status: 204},
		{status: 400, refused: true}, {status: 413, refused: true}, {status: 422, refused: true},
		{status: 401}, {status: 403}, {status: 404}, {status: 405}, {status: 408}, {status: 410},
		{status: 429}, {status: 429, retry: "7", after: 7 * time.Second}, {status: 429, retry: "soon"}, {status: 429, retry: "-7"},
		{status: 429, retry: "99999999999", after: time.Hour},
		{status: 500}, {status: 502}, {status: 503, retry: found.Add(90 * time.Second).Format(http.TimeFormat), after: 89877 * time.Millisecond}, // found has 123 ms more
		{status: 304},
	} {
		w.now = func() time.Time { return found.Truncate(time.Millisecond) }
		am.before = func(w http.ResponseWriter, _ *http.Request) bool {
			if c.retry != "" {
				w.Header().Set("Retry-After", c.retry)
			}
			w.WriteHeader(c.status)
			return true
		}
		err := w.Deliver(t.Context(), simple("1"))
		refused, isRefused := errors.AsType[*RefusedError](err)
		later, isLater := errors.AsType[*LaterError](err)
		switch {
		case c.status/100 == 2:
			if err != nil {
				t.Errorf("%d: %v", c.status, err)
			}
			continue
		case err == nil:
			t.Errorf("%d: no error", c.status)
			continue
		}
		if isRefused != c.refused || isRefused && (len(refused.Refusals) != 1 || refused.Refusals[0].Index != 0) {
			t.Errorf("%d: refused: %v", c.status, err)
		}
		if isLater != (c.after != 0) || isLater && later.After != c.after {
			t.Errorf("%d, %q: %+v", c.status, c.retry, later)
		}
		if !strings.Contains(err.Error(), fmt.Sprint(c.status)) {
			t.Errorf("%d: the error does not say so: %v", c.status, err)
		}
	}
}

// The alerts refused are found among the others, which arrive.
func TestWebhookRefusal(t *testing.T) {
	for _, bad := range [][]int{{0}, {6}, {3}, {1, 2, 5}, {0, 1, 2, 3, 4, 5, 6}} {
		am := newAlertmanager(t)
		am.refuse = func(labels map[string]string) bool { return labels["stream"] == "bad" }
		w := newWebhook(t, WebhookOptions{URL: am.URL + apiPath})
		var alerts []Alert
		var want []string
		for i := range 7 {
			a := violated(fmt.Sprint(i), "good")
			if slices.Contains(bad, i) {
				a.Stream = "bad"
			} else {
				want = append(want, a.ID)
			}
			alerts = append(alerts, a)
		}
		refused, ok := errors.AsType[*RefusedError](w.Deliver(t.Context(), alerts))
		if !ok {
			t.Fatalf("%v: not refused", bad)
		}
		var got []int
		for _, r := range refused.Refusals {
			got = append(got, r.Index)
			if !strings.Contains(r.Reason, fmt.Sprint("refused: ", r.Index)) {
				t.Errorf("%v: reason %q", bad, r.Reason)
			}
		}
		if !slices.Equal(got, bad) {
			t.Errorf("%v: refused %v", bad, got)
		}
		if arrived := slices.Sorted(maps.Keys(am.firing)); !slices.Equal(arrived, want) {
			t.Errorf("%v: arrived %v, want %v", bad, arrived, want)
		}
	}
}

// A server that fails in the middle of the search gets all of them again.
func TestWebhookFlaps(t *testing.T) {
	am := newAlertmanager(t)
	am.refuse = func(labels map[string]string) bool { return labels["id"] == "p-11" }
	am.before = func(w http.ResponseWriter, _ *http.Request) bool {
		if am.posts%3 != 0 {
			w.WriteHeader(http.StatusBadGateway)
		}
		return am.posts%3 != 0
	}
	w := newWebhook(t, WebhookOptions{URL: am.URL + apiPath})
	q := newQueue(t, Options{MaxBatch: 1, RetryMin: time.Millisecond, RetryMax: time.Millisecond}, w)
	mustAdd(t, q, "p", numbered("p", 10, 10)...)
	if err := q.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []string{"p-10", "p-12", "p-13", "p-14", "p-15", "p-16", "p-17", "p-18", "p-19"}
	if s := q.Stats()[0]; !slices.Equal(am.order, want) || s.Refused != 1 || s.Delivered != 9 || s.Failures != 20 {
		t.Errorf("arrived: %v; %+v", am.order, s)
	}
}

// A server that does not answer is given up, and reported so.
func TestWebhookSlow(t *testing.T) {
	end := make(chan struct{})
	am := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-end }))
	defer am.Close()
	defer close(end)
	w := newWebhook(t, WebhookOptions{URL: am.URL, Timeout: 10 * time.Millisecond})
	if err := w.Deliver(t.Context(), simple("1")); err == nil || !strings.Contains(err.Error(), "no answer within 10ms") {
		t.Errorf("slow: %v", err)
	}
}

// A redirect is followed where the request stays what it is, on its host.
func TestWebhookRedirects(t *testing.T) {
	am, other := newAlertmanager(t), newAlertmanager(t)
	other.before = func(_ http.ResponseWriter, r *http.Request) bool {
		t.Errorf("the other host is asked, with the header %q", r.Header.Get("Authorization"))
		return false
	}
	for _, c := range []struct {
		status   int
		to       string
		followed bool
	}{
		{307, am.URL + apiPath, true}, {308, apiPath, true}, {302, apiPath, false}, {301, apiPath, false}, {303, apiPath, false},
		{307, other.URL + apiPath + "?token=hidden", false}, {308, other.URL + apiPath, false}, {307, "/old", false},
	} {
		clear(am.firing)
		am.before = func(w http.ResponseWriter, r *http.Request) bool {
			if user, password, _ := r.BasicAuth(); user != "eve" || password != "secret-word" {
				t.Errorf("%d to %s: asked by %q", c.status, c.to, user)
			}
			if r.URL.Path != "/old" {
				return false
			}
			http.Redirect(w, r, c.to, c.status)
			return true
		}
		w := newWebhook(t, WebhookOptions{URL: strings.Replace(am.URL, "http://", "http://eve:secret-word@", 1) + "/old"})
		err := w.Deliver(t.Context(), simple("1"))
		if c.followed != (err == nil) || c.followed != (len(am.firing) == 1) {
			t.Errorf("%d to %s: %v; %d have arrived", c.status, c.to, err, len(am.firing))
		}
		if err != nil && (!strings.Contains(err.Error(), "give the final URL") || strings.Contains(err.Error(), "hidden") || strings.Contains(err.Error(), "secret")) {
			t.Errorf("%d to %s: %v", c.status, c.to, err)
		}
	}
}

// Secrets are read again at each attempt, and are seen by nobody but the server,
// even one that repeats them.
func TestWebhookSecrets(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "secret")
	am := newAlertmanager(t)
	var asked string
	am.before = func(w http.ResponseWriter, r *http.Request) bool {
		asked = r.Header.Get("Authorization")
		_, password, _ := r.BasicAuth()
		http.Error(w, "what is "+asked+password+"?", http.StatusBadRequest)
		return true
	}
	withUser := strings.Replace(am.URL, "http://", "http://eve:s3cret@", 1) + apiPath + "?token=s3cret"
	for _, c := range []struct {
		opts    WebhookOptions
		content string
		want    string // base64 is that of eve:s3cret
	}{
		{WebhookOptions{URL: am.URL + apiPath, TokenFile: file}, "s3cret\n", "Bearer s3cret"},
		{WebhookOptions{URL: am.URL + apiPath, TokenFile: file}, "s3cret-new", "Bearer s3cret-new"},
		{WebhookOptions{URL: am.URL + apiPath, User: "eve", PasswordFile: file}, "s3cret\r\n", "Basic ZXZlOnMzY3JldA=="},
		{WebhookOptions{URL: withUser}, "", "Basic ZXZlOnMzY3JldA=="},
	} {
		if err := os.WriteFile(file, []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		w := newWebhook(t, c.opts)
		err := w.Deliver(t.Context(), simple("1"))
		if asked != c.want {
			t.Errorf("asked by %q, want %q", asked, c.want)
		}
		if err == nil || strings.Contains(err.Error(), "s3cret") || strings.Contains(err.Error(), "ZXZlOn") || !strings.Contains(err.Error(), "what is") || strings.Contains(w.Name(), "eve") || strings.Contains(w.Name(), "s3cret") {
			t.Errorf("%s: %v", w.Name(), err)
		}
	}
	w := newWebhook(t, WebhookOptions{URL: am.URL + apiPath, TokenFile: file})
	for _, content := range []string{"old", "new"} {
		os.WriteFile(file, []byte(content), 0o600)
		w.Deliver(t.Context(), simple("1"))
		if asked != "Bearer "+content {
			t.Errorf("asked by %q, want the %s token", asked, content)
		}
	}
	posts := am.posts
	os.WriteFile(file, []byte("\n"), 0o600)
	if err := w.Deliver(t.Context(), simple("1")); err == nil || !strings.Contains(err.Error(), "there is no token in") {
		t.Errorf("an empty file: %v", err)
	}
	os.Remove(file)
	if err := w.Deliver(t.Context(), simple("1")); !strings.Contains(fmt.Sprint(err), "cannot read the token") || am.posts != posts {
		t.Errorf("no file: %v", err)
	}
	am.Close()
	w = newWebhook(t, WebhookOptions{URL: withUser})
	if err := w.Deliver(t.Context(), simple("1")); err == nil || strings.Contains(err.Error(), "s3cret") || strings.Contains(err.Error(), "eve") {
		t.Errorf("no server: %v", err)
	}
}

func TestWebhookTLS(t *testing.T) {
	am := &alertmanager{firing: map[string]sent{}}
	server := httptest.NewTLSServer(am)
	defer server.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := newWebhook(t, WebhookOptions{URL: server.URL + apiPath, CA: ca}).Deliver(t.Context(), simple("1")); err != nil || len(am.firing) != 1 {
		t.Errorf("with its authority: %v", err)
	}
	if err := newWebhook(t, WebhookOptions{URL: server.URL + apiPath}).Deliver(t.Context(), simple("1")); err == nil {
		t.Error("a server of an authority that nobody knows is believed")
	}
}

func TestWebhookOptions(t *testing.T) {
	good := "http://localhost:9093" + apiPath
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, o := range []WebhookOptions{
		{}, {URL: "localhost:9093"}, {URL: "ftp://s3cret@localhost"}, {URL: "http://eve:s3cret@local host/"}, {URL: "/api/v2/alerts"},
		{URL: good, User: "eve"}, {URL: good, PasswordFile: empty}, {URL: good, User: "eve", PasswordFile: empty, TokenFile: empty},
		{URL: "http://eve:s3cret@localhost", TokenFile: empty}, {URL: "http://eve:s3cret@localhost", User: "eve", PasswordFile: empty},
		{URL: good, CA: empty}, {URL: good, CA: empty + "-not"}, {URL: good, PublicURL: "monitor"}, {URL: good, PublicURL: "https://eve:s3cret@monitor"},
		{URL: good, Labels: map[string]string{"a-b": "c"}}, {URL: good, Labels: map[string]string{"id": "c"}},
	} {
		if _, err := NewWebhook(o); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if name := newWebhook(t, WebhookOptions{URL: "https://eve:s3cret@am.example:9093/x/s3cret?t=s3cret#s3cret"}).Name(); name != "webhook:am.example:9093" {
		t.Errorf("name %q", name)
	}
}
