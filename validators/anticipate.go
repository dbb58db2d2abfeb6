package validators

import (
	"runtime"

	"tracecheck/trace"
)

// Anticipator is a Machine that can work on the next events on another goroutine.
type Anticipator interface {
	Machine
	// Anticipate begins to work on the next events. Those may be steps, but some of them may
	// be left out. stop ends it, and returns when nothing reads the events any more. It is nil
	// if there is nothing to end.
	Anticipate(events []trace.Event) (stop func())
}

// leastAnticipated events are worth a goroutine.
const leastAnticipated = 64

// anticipate lets a stream's machine work on its next events, if a processor is free.
func (sh *shard) anticipate(s *stream, events []trace.Event) (stop func()) {
	if len(events) < leastAnticipated || s.over || len(s.judges) != 1 || sh.run.opts.Order != nil {
		return nil
	}
	m, can := s.judges[0].machine.(Anticipator)
	if !can || int(sh.run.busy.Load()) >= runtime.GOMAXPROCS(0) {
		return nil
	}
	return m.Anticipate(events)
}
