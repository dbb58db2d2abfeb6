package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"tracecheck/monitor/board"
)

// acknowledger notes what is acknowledged.
type acknowledger struct {
	b    *fakeBoard
	said []string
}

func (a *acknowledger) Acknowledge(id, by, why string) (board.Acknowledgement, error) {
	a.b.mu.Lock()
	defer a.b.mu.Unlock()
	k := board.Acknowledgement{Fingerprint: "f", By: by, Why: why, At: night}
	for i := range a.b.violations {
		if v := &a.b.violations[i]; v.ID == id {
			v.Acked = &k
			a.said = append(a.said, id+" "+by+" "+why)
			return k, nil
		}
	}
	return k, board.ErrUnknown
}

func (a *acknowledger) Withdraw(id string) (board.Acknowledgement, error) {
	a.b.mu.Lock()
	defer a.b.mu.Unlock()
	a.said = append(a.said, "withdraw "+id)
	for i := range a.b.violations {
		a.b.violations[i].Acked = nil
	}
	return board.Acknowledgement{}, nil
}

func (a *acknowledger) Acknowledgements() []board.Acknowledgement { return nil }

// send posts a form, with the headers that a browser or a program sends.
func send(h http.Handler, method, path string, form url.Values, headers map[string]string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "/"+path, strings.NewReader(form.Encode()))
	r.Host = "127.0.0.1:9464"
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for name, value := range headers {
		if name == "Host" {
			r.Host = value
			continue
		}
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// Programs and this server's own pages may acknowledge. Pages of other sites may not,
// whatever the name by which they reach the server. Nothing else is written.
func TestWhoMayAcknowledge(t *testing.T) {
	b := troubled(t, 20, night)
	id := b.violations[0].ID
	form := url.Values{"id": {id}, "by": {"ann"}, "why": {"seen"}}
	for _, c := range []struct {
		name, method, path string
		headers            map[string]string
		status             int
	}{
		{"a program", "POST", "api/acknowledgements", nil, 200},
		{"the page", "POST", "acknowledge", map[string]string{"Sec-Fetch-Site": "same-origin", "Origin": "http://127.0.0.1:9464"}, 303},
		{"an older browser's page", "POST", "acknowledge", map[string]string{"Origin": "http://127.0.0.1:9464"}, 303},
		{"a page of another site", "POST", "acknowledge", map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}, 403},
		{"an older browser's of another site", "POST", "api/acknowledgements", map[string]string{"Origin": "https://evil.example"}, 403},
		{"a page of another port", "POST", "acknowledge", map[string]string{"Sec-Fetch-Site": "same-site", "Origin": "http://127.0.0.1:8080"}, 403},
		{"a sandbox", "DELETE", "api/acknowledgements?id=" + id, map[string]string{"Origin": "null"}, 403},
		{"a name that points here", "POST", "acknowledge", map[string]string{"Host": "evil.example", "Sec-Fetch-Site": "same-origin"}, 421},
		{"another method", "PUT", "acknowledge", nil, 405},
		{"another path", "POST", "violations", nil, 405},
		{"reading", "GET", "acknowledge", nil, 404},
		{"too much", "POST", "acknowledge", map[string]string{"Long": "yes"}, 400},
	} {
		a := &acknowledger{b: b}
		sent := form
		if c.headers["Long"] != "" {
			sent = url.Values{"id": {strings.Repeat("x", mostForm)}}
		}
		w := send(at(b, Options{Acknowledge: a}).handler(), c.method, c.path, sent, c.headers)
		if taken := len(a.said) == 1; w.Code != c.status || taken != (c.status < 400) {
			t.Errorf("%s: status %d, want %d; acknowledged %q; %s", c.name, w.Code, c.status, a.said, w.Body)
		}
	}
	for why, o := range map[string]Options{"Add a login.": {Acknowledge: &acknowledger{b: b}, ReadOnly: "Add a login."}, "This server is only read from.": {}} {
		w := send(at(b, o).handler(), "POST", "api/acknowledgements", form, nil)
		if w.Code != 403 || !strings.Contains(w.Body.String(), why) {
			t.Errorf("%s: status %d, %s", why, w.Code, w.Body)
		}
	}
}

// The page has the form, and then who acknowledged and why. The banner has no fault any
// more, and the metrics have the number. A login's user is the default of by.
func TestAcknowledgedIsNoFault(t *testing.T) {
	b := troubled(t, 20, night)
	b.overview.Totals.Unusable, b.overview.Totals.Acked = 0, 2
	a := &acknowledger{b: b}
	h := at(b, Options{Acknowledge: a}).handler()
	id := b.violations[0].ID
	page := func() string { return said(find(parsed(t, "violation", get(h, "violation?id="+id)), "acknowledge")...) }
	if text := page(); !strings.Contains(text, "Your name") {
		t.Errorf("the page has no form: %q", text)
	}
	if text := get(h, "").Body.String(); !strings.Contains(text, "1 stream at fault") {
		t.Error("no fault before it")
	}
	for _, v := range b.violations {
		w := send(h, "POST", "acknowledge", url.Values{"id": {v.ID}, "why": {"<b>seen</b>"}}, map[string]string{"Authorization": "Basic YW5uOnNlY3JldA=="})
		if w.Code != 303 || w.Header().Get("Location") != "violation?id="+v.ID {
			t.Fatalf("status %d to %q: %s", w.Code, w.Header().Get("Location"), w.Body)
		}
	}
	if text := page(); !strings.Contains(text, "Acknowledged by ann, now: <b>seen</b>") || !strings.Contains(text, "Withdraw") {
		t.Errorf("the page states %q", text)
	}
	if text := get(h, "").Body.String(); strings.Contains(text, "at fault") || !strings.Contains(text, "acknowledged by ann") {
		t.Error("the overview has a fault, or does not say who acknowledged it")
	}
	b.mu.Lock()
	its := &b.streams[7].Stream
	its.Accepted, b.overview.Totals.Accepted, b.overview.Totals.Violations = its.Violations, its.Violations, int64(its.Violations)+40
	b.mu.Unlock()
	counted := fmt.Sprintf("and %d acknowledged", its.Violations)
	page = func() string { return said(find(parsed(t, "overview", get(h, "")), "totals")...) }
	if text := page(); !strings.Contains(text, "40 "+counted) {
		t.Errorf("the overview counts %q", text)
	}
	if text := said(find(parsed(t, "stream", get(h, "stream?name="+its.Stream)), "figures")...); !strings.Contains(text, "0 "+counted) {
		t.Errorf("the stream's page counts %q", text)
	}
	if text := said(find(parsed(t, "stream", get(h, "stream?name="+its.Stream)), "stream")...); strings.Contains(text, "✗") {
		t.Errorf("the stream's badge is %q", text)
	}
	if text := get(h, "api/stream?name="+its.Stream).Body.String(); !strings.Contains(text, fmt.Sprintf(`"violations_acknowledged":%d`, its.Violations)) {
		t.Errorf("the API states %s", text)
	}
	if text := get(h, "api/violation?id="+id).Body.String(); !strings.Contains(text, `"acknowledged":{"fingerprint":"f",`) || !strings.Contains(text, `"why":"<b>seen</b>"`) {
		t.Errorf("the API states %s", text)
	}
	if text := get(h, "metrics").Body.String(); !strings.Contains(text, "\ntracecheck_acknowledged_violations 2\n") {
		t.Error("the metrics do not say how many are acknowledged")
	}
	if w := send(h, "POST", "acknowledge", url.Values{"id": {id}, "withdraw": {"yes"}}, nil); w.Code != 303 || a.said[len(a.said)-1] != "withdraw "+id {
		t.Errorf("withdrawing: status %d, %q", w.Code, a.said)
	}
	if w := send(h, "POST", "api/acknowledgements", url.Values{"id": {"none"}, "by": {"ann"}, "why": {"x"}}, nil); w.Code != 404 {
		t.Errorf("an unknown id: status %d", w.Code)
	}
}
