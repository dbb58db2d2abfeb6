package alert

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"
)

// alertmanager takes what the Prometheus Alertmanager takes, by the OpenAPI
// document of version 2 of its API and what it checks beyond that: it keeps the
// alerts that are valid, and answers with status 400 if there are others, too.
type alertmanager struct {
	*httptest.Server
	mu     sync.Mutex
	before func(w http.ResponseWriter, r *http.Request) bool // answers itself where it returns true
	refuse func(labels map[string]string) bool
	posts  int
	firing map[string]sent // by id
	order  []string        // ids at first
}

// sent is a postableAlert.
type sent struct {
	Labels       map[string]string `json:"labels"`
	Annotations  map[string]string `json:"annotations"`
	StartsAt     string            `json:"startsAt"`
	EndsAt       string            `json:"endsAt"`
	GeneratorURL string            `json:"generatorURL"`
}

func newAlertmanager(t *testing.T) *alertmanager {
	a := &alertmanager{firing: map[string]sent{}}
	a.Server = httptest.NewServer(a)
	t.Cleanup(a.Close)
	return a
}

func (a *alertmanager) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.posts++
	if a.before != nil && a.before(w, r) {
		return
	}
	switch {
	case r.URL.Path != "/api/v2/alerts":
		http.Error(w, "no such path", http.StatusNotFound)
		return
	case r.Method != http.MethodPost:
		http.Error(w, "not allowed", http.StatusMethodNotAllowed)
		return
	case r.Header.Get("Content-Type") != "application/json":
		http.Error(w, "want JSON", http.StatusUnsupportedMediaType)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	var list []sent
	from := json.NewDecoder(bytes.NewReader(body))
	from.DisallowUnknownFields()
	if err := from.Decode(&list); err != nil || !utf8.Valid(body) {
		http.Error(w, fmt.Sprint("no postableAlerts: ", err), http.StatusBadRequest)
		return
	}
	var wrong []string
	for _, s := range list {
		if err := s.check(); err != nil {
			wrong = append(wrong, err.Error())
		} else if a.refuse != nil && a.refuse(s.Labels) {
			wrong = append(wrong, "refused: "+s.Labels["id"])
		} else {
			id := s.Labels["id"]
			if _, known := a.firing[id]; !known {
				a.order = append(a.order, id)
			}
			a.firing[id] = s
		}
	}
	if wrong != nil {
		http.Error(w, strings.Join(wrong, "; "), http.StatusBadRequest)
	}
}

var rfc3339 = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$`)

// check is what Alertmanager states of one alert.
func (s *sent) check() error {
	if len(s.Labels) == 0 {
		return fmt.Errorf("at least one label pair required")
	}
	for _, set := range []map[string]string{s.Labels, s.Annotations} {
		for name, value := range set {
			if !labelName().MatchString(name) || !utf8.ValidString(value) {
				return fmt.Errorf("invalid label %q=%q", name, value)
			}
		}
	}
	var ends [2]time.Time
	for i, text := range []string{s.StartsAt, s.EndsAt} {
		if !rfc3339.MatchString(text) {
			return fmt.Errorf("%q is no date-time", text)
		}
		var err error
		if ends[i], err = time.Parse(time.RFC3339, text); err != nil {
			return err
		}
	}
	if ends[1].Before(ends[0]) {
		return fmt.Errorf("start time must be before end time")
	}
	if s.GeneratorURL != "" {
		if u, err := url.Parse(s.GeneratorURL); err != nil || !u.IsAbs() {
			return fmt.Errorf("generatorURL %q is no URI", s.GeneratorURL)
		}
	}
	return nil
}

func newWebhook(t *testing.T, opts WebhookOptions) *Webhook {
	t.Helper()
	w, err := NewWebhook(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}
