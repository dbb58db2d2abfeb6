package web

import (
	"fmt"
	"time"
)

// when is a time for a page: how long ago, and exactly.
type when struct {
	Exact string // RFC 3339, in UTC; "": unknown
	Words string
}

func (s *server) when(t time.Time) when {
	if t.IsZero() {
		return when{}
	}
	return when{t.UTC().Format(time.RFC3339Nano), ago(s.now().Sub(t))}
}

// whenText is when for a time of a trace.
func (s *server) whenText(text string) when {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return when{}
	}
	return s.when(t)
}

// ago formats an age, as live.js does.
func ago(d time.Duration) string {
	switch {
	case d <= -time.Second:
		return "in " + span(-d)
	case d < time.Second:
		return "now"
	}
	return span(d) + " ago"
}

// span formats a duration with its two largest units.
func span(d time.Duration) string {
	s := int64(d / time.Second)
	m, h, days := s/60, s/3600, s/86400
	switch {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case h < 1:
		return fmt.Sprintf("%dm %ds", m, s%60)
	case days < 1:
		return fmt.Sprintf("%dh %dm", h, m%60)
	}
	return fmt.Sprintf("%dd %dh", days, h%24)
}
