package monitor

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"tracecheck/monitor/alert"
	"tracecheck/monitor/board"
	"tracecheck/trace"
)

// Kept is what a checkpoint says of a part, but for the states of its streams.
type Kept struct {
	Settings   string // that it was judged under
	Of         Identity
	Position   Position
	Missed     *trace.Error // events that were deleted unread; nil: none
	Counted    board.Counters
	Violations int64
	Pending    []alert.Pending
	Saved      time.Time
}

// ReadKept reads the head of a checkpoint.
func ReadKept(data []byte) (*Kept, error) {
	var h head
	if err := json.Unmarshal(data, &h); err != nil {
		return nil, err
	}
	if h.Version != headVersion {
		return nil, fmt.Errorf("it is of version %d, and this tracecheck knows %d", h.Version, headVersion)
	}
	return &Kept{
		Settings: h.Settings, Of: h.Of, Position: h.Position, Missed: h.Missed, Counted: since(&h.Totals, &totals{}),
		Violations: h.Totals.Violations, Pending: h.Pending, Saved: h.Saved,
	}, nil
}

// KeptStream is the stream that a record of a checkpoint is the state of; ok is
// false where it is something else.
func KeptStream(record string) (stream string, ok bool) {
	return strings.CutPrefix(record, streamRecord)
}
