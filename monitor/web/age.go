package web

import (
	"fmt"
	"time"
)

// when is a moment as the pages show it: how long ago, and exactly.
type when struct {
	Exact string // RFC 3339, in UTC; "": not known
	Words string
}

func (s *server) when(t time.Time) when {
	if t.IsZero() {
		return when{}
	}
	return when{t.UTC().Format(time.RFC3339Nano), ago(s.now().Sub(t))}
}

// whenText is when for a time in a trace's words.
func (s *server) whenText(text string) when {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return when{}
	}
	return s.when(t)
}

// ago says how long ago; live.js says the same while a page is open.
func ago(d time.Duration) string {
	switch {
	case d <= -time.Second:
		return "in " + span(-d)
	case d < time.Second:
		return "now"
	}
	return span(d) + " ago"
}

// span is a duration in its two greatest units.
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
