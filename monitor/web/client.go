package web

import "time"

// Overview, Streams, Violations and Past are the answers of /api/overview, /api/streams,
// /api/violations and /api/past, for clients.
type (
	Overview = apiOverview
	Stream   = apiStream
	Streams  struct {
		Total   int         `json:"total"`
		Streams []apiStream `json:"streams"`
	}
	Violations struct {
		Total      int            `json:"total"`
		Violations []apiViolation `json:"violations"`
	}
	Past struct {
		Samples []apiSample `json:"samples"`
	}
)

// Age, Rate and Lag format figures as on the page. A rate is in events a second. A lag is in
// its unit; a nil one is unknown.
func Age(d time.Duration) string { return ago(d) }
func Rate(r float64) string      { return rate(r) }
func Lag(n *int64, unit string) string {
	switch {
	case n == nil:
		return "unknown"
	case *n == 0:
		return "none"
	}
	return lag(*n, unit)
}
