package top

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"tracecheck/monitor/client"
)

// What a monitor answers, as its page documents it.
const (
	overview = `{"version":"1.0.0","status":"bad","headline":"2 streams at fault","reasons":["1","2","3","4","5","6"],
		"totals":{"streams":3,"violations":1044,"violations_acknowledged":2,"unusable":1,"open_obligations":7,"events":963032,"events_per_second":2468.8},
		"parts":[{"name":"kafka:events/0","state":"judging","lag":18204,"unit":"messages","place":"offset 17","checkpoint":"2026-11-21T03:07:12Z","events_per_second":12},
			{"name":"kafka:events/1","state":"absent"}]}`
	streams = `{"total":60,"streams":[{"stream":"web\u001b[2J","violations":3,"unusable":"a gap"},{"stream":"","violations":1},
		{"stream":"quiet","desired_state":[{"in_desired_state":false}]},{"stream":"well","events_per_second":0.25,"violations":2,"violations_acknowledged":2}]}`
	violations = `{"total":1,"violations":[{"spec":"swarmkit","rule":"Next","stream":"web","found":"2026-11-21T03:06:16Z","file":"f","line":9,"message":"no action explains it",
		"changes":[{"kind":"task","id":"t0","before":null,"after":{"state":"new"}},{"kind":"task","id":"t1","before":{"state":"ready"},"after":{"state":"new"}}],
		"events":[{"file":"f","line":9,"event":{"kind":"task","id":"t1"}}]},
		{"spec":"swarmkit","rule":"Inv","stream":"","found":"2026-11-21T03:07:15Z","message":"t1 breaks Inv","acknowledged":{"by":"ann"}}]}`
	past = `{"samples":[{"at":"2026-11-21T03:06:31Z","events_per_second":0,"lag":4,"violations":0},{"at":"2026-11-21T03:06:46Z","events_per_second":5,"violations":8},
		{"at":"2026-11-21T03:07:01Z","events_per_second":10,"lag":2,"violations":0}]}`
)

// squeezed is the space between columns.
var squeezed = regexp.MustCompile(" +")

func answered(t *testing.T) *state {
	t.Helper()
	s := &state{addr: "http://127.0.0.1:9464", at: time.Date(2026, 11, 21, 3, 7, 16, 0, time.UTC)}
	for text, into := range map[string]any{overview: &s.overview, streams: &s.streams, violations: &s.violations, past: &s.past} {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestLines(t *testing.T) {
	text := squeezed.ReplaceAllString(strings.Join(answered(t).lines(120, 100), "\n"), " ")
	for _, want := range []string{
		"✗ 2 streams at fault\n 1\n 2\n 3\n 4\n and 2 more\n",
		"streams 3 violations 1,042 (and 2 acknowledged) not judged 1 open obligations 7 events 963,032",
		"rate ▁▅█\nviolations ▁█▁\nlag █ ▅\n since 45s ago\n",
		"kafka:events/0 judging 12/s 18,204 messages 4s ago offset 17\n",
		"kafka:events/1 absent 0/s unknown none yet\n",
		`task t1 changes: state "ready" -> "new"` + "\n",
		"swarmkit Inv (default) 1s ago acknowledged by ann: t1 breaks Inv\n",
		"(default) 1 violation",
		"quiet not as desired",
		"well ok",
		"not judged, 3 violations",
		"and 56 streams more",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no\n%s\nin\n%s", want, text)
		}
	}
	if strings.Contains(text, "\x1b") {
		t.Errorf("a name steers the terminal: %q", text)
	}
}

// However small the terminal is, the text fits.
func TestLinesFit(t *testing.T) {
	s := answered(t)
	for width := range 90 {
		for height := range 40 {
			lines := s.lines(width, height)
			if len(lines) > height {
				t.Fatalf("%d lines in %d rows", len(lines), height)
			}
			for _, line := range lines {
				if n := utf8.RuneCountInString(line); n > max(width, 1) {
					t.Fatalf("%d characters in %d columns: %q", n, width, line)
				}
			}
		}
	}
}

// A monitor that does not answer does not hold the command up for ever.
func TestHangs(t *testing.T) {
	over := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-over }))
	defer server.Close()
	defer close(over)
	monitor, err := (&client.Access{}).Open(server.URL, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	err = Run(t.Context(), Options{Client: monitor, Once: true, Within: 10 * time.Millisecond, Out: io.Discard})
	if err == nil || !strings.Contains(err.Error(), "no answer") {
		t.Errorf("got %v", err)
	}
}
