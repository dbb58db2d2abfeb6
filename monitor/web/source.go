package web

import (
	"fmt"
	"time"

	"tracecheck/monitor/board"
	"tracecheck/report"
)

// patience is how long a source may be silent, or a transaction may block reading,
// before the page reports it.
const patience = 15 * time.Second

// silent is the time since the part's source last answered. known is false if it
// was not asked yet, or cannot be asked.
func (s *server) silent(p *board.Part) (d time.Duration, known bool) {
	if p.Answered.IsZero() {
		return 0, false
	}
	return max(0, s.now().Sub(p.Answered)), true
}

// isSilent reports whether the source does not exist, or is silent for too long.
func (s *server) isSilent(p *board.Part) bool {
	if p.State == board.Absent {
		return true
	}
	d, known := s.silent(p)
	return known && d > patience && isRead(p)
}

// isRead reports whether the part's source is read.
func isRead(p *board.Part) bool { return p.State == board.Judging || p.State == board.Waiting }

// blocked is how long an open transaction has blocked the part; 0: no transaction blocks it.
func (s *server) blocked(p *board.Part) time.Duration {
	if p.Blocked.IsZero() {
		return 0
	}
	return max(0, s.now().Sub(p.Blocked))
}

func (s *server) isBlocked(p *board.Part) bool { return s.blocked(p) > patience && isRead(p) }

// silentParts lists the parts whose sources do not answer.
func (s *server) silentParts(o *board.Overview) []string {
	var reasons []string
	for i := range o.Parts {
		if p := &o.Parts[i]; p.State == board.Absent {
			reasons = append(reasons, report.Clean(p.Name+": "+p.Reason))
		} else if s.isSilent(p) {
			d, _ := s.silent(p)
			reasons = append(reasons, fmt.Sprintf("%s: no answer for %s. Its source does not answer, or does not exist. The log says why", report.Clean(p.Name), span(d)))
		}
	}
	return reasons
}

// blockedParts lists the parts that an open transaction blocks.
func (s *server) blockedParts(o *board.Overview) []string {
	var reasons []string
	for i := range o.Parts {
		if p := &o.Parts[i]; s.isBlocked(p) && !s.isSilent(p) {
			reasons = append(reasons, fmt.Sprintf("%s has been blocked for %s by an open transaction, with %s not judged yet", report.Clean(p.Name), span(s.blocked(p)), lag(p.Lag, p.Unit)))
		}
	}
	return reasons
}
