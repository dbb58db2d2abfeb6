package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"tracecheck/monitor/board"
	"tracecheck/validators"
)

// The answers of /api. They use the names of the other JSON that tracecheck writes.
// An unknown time is left out.

type apiOverview struct {
	Version  string        `json:"version"`
	Status   string        `json:"status"` // good, unsure or bad
	Headline string        `json:"headline"`
	Reasons  []string      `json:"reasons"`
	Source   string        `json:"source"`
	Started  time.Time     `json:"started,omitzero"`
	Totals   apiTotals     `json:"totals"`
	Parts    []apiPart     `json:"parts"`
	Alerts   []apiReceiver `json:"alerts"`
}

type apiTotals struct {
	Events     int64          `json:"events"`
	Steps      int64          `json:"steps"`
	Duplicates int64          `json:"duplicates"`
	Skipped    int64          `json:"skipped"`
	Violations int64          `json:"violations"`
	Acked      int            `json:"acknowledged"`
	Accepted   int            `json:"violations_acknowledged"`
	ByRule     []apiRuleCount `json:"by_rule"`
	Bad        int64          `json:"bad_inputs"`
	Streams    int            `json:"streams"`
	Unusable   int            `json:"unusable"`
	Undesired  int            `json:"undesired"`
	Objects    int            `json:"objects"`
	Open       int            `json:"open_obligations"`
	Oldest     time.Time      `json:"oldest_obligation,omitzero"`
	Rate       float64        `json:"events_per_second"`
}

type apiRuleCount struct {
	Spec  string `json:"spec"`
	Rule  string `json:"rule"`
	Count int64  `json:"count"`
}

type apiPart struct {
	Name     string    `json:"name"`
	State    string    `json:"state"`
	Reason   string    `json:"reason,omitempty"`
	Fallback string    `json:"fallback,omitempty"`
	Position string    `json:"position"`
	Place    string    `json:"place,omitempty"`
	Lag      *int64    `json:"lag,omitempty"`
	Unit     string    `json:"unit,omitempty"`
	Events   int64     `json:"events"`
	Rate     float64   `json:"events_per_second"`
	Streams  int       `json:"streams"`
	Began    time.Time `json:"began,omitzero"`
	LastRead time.Time `json:"last_read,omitzero"`
	Answered time.Time `json:"answered,omitzero"`
	Blocked  time.Time `json:"blocked_since,omitzero"`
	Saved    time.Time `json:"checkpoint,omitzero"`
	Took     float64   `json:"checkpoint_seconds"`
	Pause    float64   `json:"checkpoint_pause_seconds"`
	PauseSum float64   `json:"checkpoint_pause_sum_seconds"`
	Bytes    int       `json:"checkpoint_bytes"`
}

type apiReceiver struct {
	Name      string `json:"name"`
	Pending   int    `json:"pending"`
	Delivered int64  `json:"delivered"`
	Failures  int64  `json:"failures"`
	LastError string `json:"last_error,omitempty"`
}

type apiStream struct {
	Stream     string                   `json:"stream"`
	Part       string                   `json:"part"`
	Unusable   string                   `json:"unusable,omitempty"`
	Specs      []string                 `json:"specs"`
	Events     int                      `json:"events"`
	Rate       float64                  `json:"events_per_second"`
	LastEvent  time.Time                `json:"last_event,omitzero"`
	Time       string                   `json:"time,omitempty"`
	Violations int                      `json:"violations"`
	Accepted   int                      `json:"violations_acknowledged"`
	Duplicates int                      `json:"duplicates"`
	Skipped    int                      `json:"skipped"`
	Early      int                      `json:"early,omitempty"`
	Objects    int                      `json:"objects"`
	Open       int                      `json:"open_obligations"`
	Oldest     time.Time                `json:"oldest_obligation,omitzero"`
	Desired    []validators.StreamState `json:"desired_state,omitempty"`
	Lag        *int64                   `json:"lag,omitempty"`
	Unit       string                   `json:"unit,omitempty"`
	Liveness   []validators.Liveness    `json:"liveness,omitempty"`
}

type apiViolation struct {
	validators.Violation
	Part  string    `json:"part"`
	Found time.Time `json:"found,omitzero"`

	Fingerprint  string                 `json:"fingerprint"`
	Acknowledged *board.Acknowledgement `json:"acknowledged,omitempty"`

	Timeline []apiLine `json:"timeline,omitempty"`
	Earlier  int       `json:"earlier,omitempty"`
}

type apiLine struct {
	validators.Event
	Time string `json:"time,omitempty"`
}

func (s *server) apiOverview(w http.ResponseWriter, r *http.Request) {
	o := s.board.Overview()
	b := s.banner(&o)
	t := &o.Totals
	a := apiOverview{
		Version: o.Version, Status: b.Class, Headline: b.Title, Reasons: []string{}, Source: o.Source, Started: o.Started,
		Totals: apiTotals{Events: t.Events, Steps: t.Steps, Duplicates: t.Duplicates, Skipped: t.Skipped, Violations: t.Violations, Acked: t.Acked, Accepted: t.Accepted, ByRule: []apiRuleCount{}, Bad: t.Bad, Streams: t.Streams,
			Unusable: t.Unusable, Undesired: t.Undesired, Objects: t.Objects, Open: t.Open, Oldest: t.Oldest, Rate: t.Rate},
		Parts: []apiPart{}, Alerts: []apiReceiver{},
	}
	for _, n := range b.Notes {
		if !n.At.IsZero() {
			n.Text += " " + s.when(n.At).Words
		}
		a.Reasons = append(a.Reasons, n.Text)
	}
	for _, c := range t.ByRule {
		a.Totals.ByRule = append(a.Totals.ByRule, apiRuleCount(c))
	}
	for i := range o.Parts {
		p := &o.Parts[i]
		a.Parts = append(a.Parts, apiPart{Name: p.Name, State: string(p.State), Reason: p.Reason, Fallback: p.Fallback, Position: p.Position, Place: p.Place,
			Lag: known(p.Lag), Unit: p.Unit, Events: p.Events, Rate: p.Rate, Streams: p.Streams, Began: p.Began, LastRead: p.LastRead, Answered: p.Answered, Blocked: p.Blocked,
			Saved: p.Saved, Took: p.Took.Seconds(), Pause: p.Pause.Seconds(), PauseSum: p.PauseSum.Seconds(), Bytes: p.Bytes})
	}
	for _, c := range o.Alerts {
		a.Alerts = append(a.Alerts, apiReceiver(c))
	}
	writeJSON(w, http.StatusOK, a)
}

func (s *server) apiStreams(w http.ResponseWriter, r *http.Request) {
	q, err := readQuery(r, pageSize)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	list, total := s.board.Streams(q.board())
	all := []apiStream{}
	for i := range list {
		all = append(all, apiStreamOf(&list[i]))
	}
	writeJSON(w, http.StatusOK, map[string]any{"total": total, "streams": all})
}

func (s *server) apiStream(w http.ResponseWriter, r *http.Request) {
	st, status := s.look(r, r.URL.Query().Get("name"))
	switch status {
	case http.StatusNotFound:
		refuse(w, status, "this process knows no stream of this name")
	case http.StatusServiceUnavailable:
		refuse(w, status, "the stream's part is busy: try again")
	default:
		a := apiStreamOf(&st.Stream)
		a.Lag, a.Unit, a.Liveness = known(st.Lag), st.Unit, st.Liveness
		writeJSON(w, status, a)
	}
}

func (s *server) apiViolations(w http.ResponseWriter, r *http.Request) {
	q, err := readQuery(r, pageSize)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	of := "*"
	if r.URL.Query().Has("name") {
		of = q.Name
	}
	list, total := s.board.Violations(of, q.skip(), q.Limit)
	all := []apiViolation{}
	for i := range list {
		all = append(all, apiViolationOf(&list[i]))
	}
	writeJSON(w, http.StatusOK, map[string]any{"total": total, "violations": all})
}

func (s *server) apiViolation(w http.ResponseWriter, r *http.Request) {
	v, ok := s.board.Violation(r.URL.Query().Get("id"))
	if !ok {
		refuse(w, http.StatusNotFound, board.ErrUnknown.Error())
		return
	}
	a := apiViolationOf(v)
	a.Earlier = v.Earlier
	for _, l := range v.Timeline {
		raw := json.RawMessage(l.Raw)
		if !json.Valid(raw) {
			raw, _ = json.Marshal(l.Raw)
		}
		a.Timeline = append(a.Timeline, apiLine{validators.Event{File: l.Pos.File, Line: l.Pos.Line, Raw: raw}, l.Time})
	}
	writeJSON(w, http.StatusOK, a)
}

// apiViolationOf is the violation without its timeline.
func apiViolationOf(v *board.Violation) apiViolation {
	return apiViolation{Violation: v.Violation, Part: v.Part, Found: v.Found, Fingerprint: v.Fingerprint(), Acknowledged: v.Acked}
}

func apiStreamOf(st *board.Stream) apiStream {
	a := apiStream{Stream: st.Stream, Part: st.Part, Unusable: st.Unusable, Specs: st.Specs, Events: st.Events, Rate: st.Rate, LastEvent: st.LastEvent,
		Time: st.Time, Violations: st.Violations, Accepted: st.Accepted, Duplicates: st.Duplicates, Skipped: st.Skipped, Early: st.Early, Objects: st.Objects, Open: st.Open, Desired: st.Desired}
	if st.Open > 0 {
		a.Oldest = st.Oldest.At()
	}
	if a.Specs == nil {
		a.Specs = []string{}
	}
	return a
}

func known(lag int64) *int64 {
	if lag < 0 {
		return nil
	}
	return &lag
}

func refuse(w http.ResponseWriter, status int, why string) {
	writeJSON(w, status, map[string]string{"error": why})
}

// writeJSON does not escape HTML: TLA+ text stays readable.
func writeJSON(w http.ResponseWriter, status int, v any) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		status = http.StatusInternalServerError
		b.Reset()
		fmt.Fprintf(&b, "{\"error\":%q}\n", err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(b.Bytes()) // the reader may have gone
}
