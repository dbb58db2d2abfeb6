package web

import "time"

// Overview, Streams, Violations and Past are what /api/overview, /api/streams,
// /api/violations and /api/past answer, for clients.
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

// Age, Rate and Lag are such figures as the page has them. A lag may be nil: unknown.
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
