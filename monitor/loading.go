package monitor

import (
	"runtime/debug"

	"tracecheck/monitor/board"
)

// loadPercent is the garbage collector's percentage while checkpoints are loaded
// and nothing is judged yet: almost all that is allocated then stays, and to look
// for garbage as it grows takes longer than the loading.
const loadPercent = 300

// whileLoading has the garbage collector come rarely until all that are loading
// have called what it returns, unless a part is judged already.
func (m *Monitor) whileLoading() (done func()) {
	if m.opts.GCPercent == 0 {
		return func() {}
	}
	for _, p := range m.all() {
		if p.view.state() != board.Loading {
			return func() {}
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.loading++; m.loading == 1 {
		debug.SetGCPercent(loadPercent)
	}
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.loading--; m.loading == 0 {
			debug.SetGCPercent(m.opts.GCPercent)
		}
	}
}
