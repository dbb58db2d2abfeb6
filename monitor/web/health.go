package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"tracecheck/internal/amount"
	"tracecheck/monitor/board"
	"tracecheck/report"
)

// health is the body of /healthz and /readyz.
type health struct {
	OK      bool     `json:"ok"`
	Reasons []string `json:"reasons"`
}

func (s *server) healthz(w http.ResponseWriter, r *http.Request) {
	o := s.board.Overview()
	answer(w, failures(&o))
}

func (s *server) readyz(w http.ResponseWriter, r *http.Request) {
	o := s.board.Overview()
	answer(w, slices.Concat(failures(&o), pauses(&o), s.silentParts(&o), s.blockedParts(&o), s.late(&o)))
}

func answer(w http.ResponseWriter, reasons []string) {
	status := http.StatusOK
	if len(reasons) > 0 {
		status = http.StatusServiceUnavailable
	}
	if reasons == nil {
		reasons = []string{}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(health{status == http.StatusOK, reasons}) // the reader may have gone
}

// failures lists the failed parts.
func failures(o *board.Overview) []string {
	var reasons []string
	for i := range o.Parts {
		if p := &o.Parts[i]; p.State == board.Failed {
			reasons = append(reasons, fmt.Sprintf("%s has failed: %s", report.Clean(p.Name), report.Clean(p.Reason)))
		}
	}
	return reasons
}

// pauses returns why other parts are not judged now.
func pauses(o *board.Overview) []string {
	if len(o.Parts) == 0 {
		return []string{"no part of the source is this process's: the source has not answered yet, or others judge all of it"}
	}
	var reasons []string
	for i := range o.Parts {
		p := &o.Parts[i]
		name := report.Clean(p.Name)
		switch p.State {
		case board.Judging, board.Failed, board.Absent: // reported elsewhere
		case board.Loading:
			reasons = append(reasons, name+" is reading its checkpoint")
		case board.Waiting:
			reasons = append(reasons, name+" waits: too many alerts are pending"+refusals(o))
		default:
			reasons = append(reasons, name+" is "+report.Clean(string(p.State)))
		}
	}
	return reasons
}

// refusals names the receivers with pending alerts.
func refusals(o *board.Overview) string {
	text := ""
	for i := range o.Alerts {
		if a := &o.Alerts[i]; a.Pending > 0 {
			text += fmt.Sprintf("; %s for %s", amount.Grouped(a.Pending), report.Clean(a.Name))
			if a.LastError != "" {
				text += " (" + report.Clean(a.LastError) + ")"
			}
		}
	}
	return text
}

// late lists the parts whose checkpoint is too old. After a crash, much would be
// judged again.
func (s *server) late(o *board.Overview) []string {
	if s.opts.Interval == 0 {
		return nil
	}
	var reasons []string
	for i := range o.Parts {
		p := &o.Parts[i]
		age, known := s.unsaved(p)
		if known && p.State == board.Judging && age > max(latest*s.opts.Interval, leastLate) {
			reasons = append(reasons, fmt.Sprintf("%s has had no checkpoint for %s; one is due every %s", report.Clean(p.Name), span(age), s.opts.Interval))
		}
	}
	return reasons
}

// unsaved is the time since the part's last checkpoint.
func (s *server) unsaved(p *board.Part) (age time.Duration, known bool) {
	from := p.Saved
	if from.Before(p.Began) {
		from = p.Began // the checkpoint may be much older than this process
	}
	return s.now().Sub(from), !from.IsZero()
}
