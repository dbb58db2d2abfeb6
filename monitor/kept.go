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

// Kept is the content of a part's checkpoint without the states of its streams.
type Kept struct {
	Settings   string // under which the part was judged
	Of         Identity
	Position   Position
	Missed     *trace.Error // deleted before they were read; nil: none
	Counted    board.Counters
	Violations int64
	Pending    []alert.Pending
	Acked      []board.Acknowledgement
	Saved      time.Time
}

// ReadKept decodes the head of a checkpoint.
func ReadKept(data []byte) (*Kept, error) {
	var h head
	if err := json.Unmarshal(data, &h); err != nil {
		return nil, err
	}
	if h.Version != headVersion {
		return nil, fmt.Errorf("it has version %d, but this tracecheck reads version %d", h.Version, headVersion)
	}
	return &Kept{
		Settings: h.Settings, Of: h.Of, Position: h.Position, Missed: h.Missed, Counted: since(&h.Totals, &totals{}),
		Violations: h.Totals.Violations, Pending: h.Pending, Acked: h.Acked, Saved: h.Saved,
	}, nil
}

// KeptStream returns the stream of a checkpoint's record. ok is false for records of other
// kinds.
func KeptStream(record string) (stream string, ok bool) {
	return strings.CutPrefix(record, streamRecord)
}
