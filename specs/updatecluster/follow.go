package updatecluster

import "tracecheck/validators"

// requestWaits is what a request waits for.
type requestWaits struct{ queueing, applying *validators.Obligation }

// stateWaits is what the stream itself waits for.
type stateWaits struct{ completion, emptying *validators.Obligation }

// follow brings the ledger up to date with what the step changed.
func (m *machine) follow() {
	if m.ledger == nil {
		return
	}
	for i := range m.touched {
		if r := m.touched[i].record; r != nil {
			m.followRequest(r)
		}
	}
	m.followState()
}

// followRequest follows a request that stands, or has been dropped.
func (m *machine) followRequest(r *request) {
	w := &r.waits
	w.queueing = m.ledger.Set(w.queueing, r.queueing())
	w.applying = m.ledger.Set(w.applying, m.s.applying(r))
}

// followState follows the variables that are not of one request.
func (m *machine) followState() {
	s := m.s
	m.ledger.SetGate(&s.confTrue, s.conf == yes)
	s.waits.completion = m.ledger.Set(s.waits.completion, s.completion())
	s.waits.emptying = m.ledger.Set(s.waits.emptying, s.emptying())
}

// followSnapshots follows what the run of snapshots has shown.
func (m *machine) followSnapshots(shown []*request) {
	if m.ledger == nil {
		return
	}
	for _, r := range shown {
		m.followRequest(r)
	}
	m.followState()
}
