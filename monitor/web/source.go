package web

import (
	"fmt"
	"time"

	"tracecheck/monitor/board"
	"tracecheck/report"
)

// patience is how long a source may not answer, or a transaction may hold the
// reading up, before it is said.
const patience = 15 * time.Second

// silent is for how long the part's source has not answered. known is false where
// it was not asked yet, or cannot be.
func (s *server) silent(p *board.Part) (d time.Duration, known bool) {
	if p.Answered.IsZero() {
		return 0, false
	}
	return max(0, s.now().Sub(p.Answered)), true
}

// isUnheard reports whether that is too long.
func (s *server) isUnheard(p *board.Part) bool {
	d, known := s.silent(p)
	return known && d > patience && isRead(p)
}

// isRead reports whether the part's source is read.
func isRead(p *board.Part) bool { return p.State == board.Judging || p.State == board.Waiting }

// held is for how long an open transaction has held the part's reading up; 0: none
// does.
func (s *server) held(p *board.Part) time.Duration {
	if p.Held.IsZero() {
		return 0
	}
	return max(0, s.now().Sub(p.Held))
}

func (s *server) isHeld(p *board.Part) bool { return s.held(p) > patience && isRead(p) }

// unheard are the parts whose sources do not answer.
func (s *server) unheard(o *board.Overview) []string {
	var reasons []string
	for i := range o.Parts {
		if p := &o.Parts[i]; s.isUnheard(p) {
			d, _ := s.silent(p)
			reasons = append(reasons, fmt.Sprintf("%s has not been heard for %s: its source does not answer, or is not there; the log says why", report.Clean(p.Name), span(d)))
		}
	}
	return reasons
}

// heldUp are the parts whose reading waits for the end of a transaction.
func (s *server) heldUp(o *board.Overview) []string {
	var reasons []string
	for i := range o.Parts {
		if p := &o.Parts[i]; s.isHeld(p) && !s.isUnheard(p) {
			reasons = append(reasons, fmt.Sprintf("%s has been held up for %s by an open transaction, with %s still to read", report.Clean(p.Name), span(s.held(p)), lag(p.Lag, p.Unit)))
		}
	}
	return reasons
}
