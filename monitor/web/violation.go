package web

import (
	"bytes"
	"encoding/json"
	"net/http"

	template "github.com/DataDog/datadog-agent/pkg/template/html"
	"go.uber.org/zap"

	"tracecheck/monitor/board"
	"tracecheck/report"
	"tracecheck/trace"
	"tracecheck/validators"
)

type violationView struct {
	page
	Violation *board.Violation
	Explained template.HTML
	Also      []board.Violation // of the same step
	ReadOnly  string            // why it cannot be acknowledged; "": it can
	Earlier   int               // lines about the same objects that are no longer in memory
}

// alsoSeen bounds the search for violations of the same step.
const alsoSeen = 50

func (s *server) violationPage(w http.ResponseWriter, r *http.Request) {
	v, ok := s.board.Violation(r.URL.Query().Get("id"))
	if !ok {
		s.fail(w, http.StatusNotFound, "No such violation", "This process keeps the latest violations of the parts that it judges, and this is not one of them. The receivers of alerts have all violations.")
		return
	}
	html, err := s.explain(v)
	if err != nil {
		s.opts.Log.Error("cannot show a violation: please report it", zap.String("id", v.ID), zap.Error(err))
		s.fail(w, http.StatusInternalServerError, "This violation cannot be shown", "The log says why. /api/violation has it as JSON.")
		return
	}
	view := violationView{page: s.page(report.Clean(v.Spec+" "+v.Rule), "violations"), Violation: v, Explained: html, Earlier: v.Earlier, ReadOnly: s.whyReadOnly()}
	// Only the banner is live here: a violation does not change.
	view.Live, view.Script = home, s.assets.link("timeline.js")
	near, _ := s.board.Violations(v.Stream, 0, alsoSeen)
	for i := range near {
		if near[i].ID != v.ID && report.SameStep(&near[i].Violation, &v.Violation) {
			view.Also = append(view.Also, near[i])
		}
	}
	s.render(w, http.StatusOK, "violation", view)
}

// earlierShown bounds the listed earlier lines. The timeline has all.
const earlierShown = 8

// explain renders the violation as in the HTML report.
func (s *server) explain(v *board.Violation) (template.HTML, error) {
	one := v.Violation
	if len(v.Timeline) > 0 {
		one.History = nil // the lines below include a module's own history
	}
	for i := range v.Timeline {
		l := &v.Timeline[i]
		if beyond(l.Pos, &one) {
			break
		}
		one.History = append(one.History, validators.Event{File: l.Pos.File, Line: l.Pos.Line, Raw: json.RawMessage(l.Raw)})
	}
	one.History = one.History[max(0, len(one.History)-earlierShown):]
	d := &report.Document{Specs: s.opts.Specs, Result: &validators.Result{
		Verdict: validators.Violated, Streams: 1, Violations: []validators.Violation{one},
	}}
	if len(v.Timeline) > 0 {
		d.Timeline = report.NewTimeline(d)
	}
	var decoder trace.Decoder
	for i := range v.Timeline {
		var ev trace.Event
		if decoder.Decode([]byte(v.Timeline[i].Raw), v.Timeline[i].Pos, &ev) == nil {
			ev.Stream = v.Stream // a Kafka message may have it as its key only
			d.Timeline.Add(&ev)
		}
	}
	var b bytes.Buffer
	err := report.Steps(&b, d)
	return template.HTML(b.String()), err // a template escapes it
}

// beyond reports whether a line is the step's or after it.
func beyond(at trace.Pos, v *validators.Violation) bool {
	for i := range v.Events {
		if v.Events[i].File == at.File && v.Events[i].Line == at.Line {
			return true
		}
	}
	return at.File == v.File && at.Line >= v.Line
}
