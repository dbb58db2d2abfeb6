package monitor

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"strings"
	"time"

	"tracecheck/monitor/board"
)

// The monitor is its own board.
var (
	_ board.Board        = (*Monitor)(nil)
	_ board.Acknowledger = (*Monitor)(nil)
)

// stuckFor is how long an update of a part may take.
const stuckFor = time.Minute

// IsAlive reports whether judging advances: each part was updated lately,
// between two batches.
func (m *Monitor) IsAlive(now time.Time) bool {
	for _, p := range m.all() {
		p.view.mu.Lock()
		looked, state := p.view.looked, p.view.part.State
		p.view.mu.Unlock()
		if state == board.Judging && !looked.IsZero() && now.Sub(looked) > stuckFor {
			return false
		}
	}
	return true
}

// Overview implements board.Board.
func (m *Monitor) Overview() board.Overview {
	o := board.Overview{Version: m.opts.Version, Source: m.opts.Reads, Started: m.started}
	m.mu.Lock() // count each part once, as owned or as given up
	addCounters(&o.Counted, &m.gone)
	parts := m.sorted()
	m.mu.Unlock()
	for _, p := range parts {
		w := &p.view
		w.mu.Lock()
		o.Parts = append(o.Parts, w.shown())
		t := w.totals
		addCounters(&o.Counted, &w.counted)
		w.mu.Unlock()
		addTotals(&o.Totals, &t)
	}
	for _, one := range m.found() {
		o.Totals.Accepted += one.accepted
	}
	if m.opts.Receivers != nil {
		o.Alerts = m.opts.Receivers()
	}
	return o
}

func addTotals(sum, t *board.Totals) {
	sum.Events += t.Events
	sum.Steps += t.Steps
	sum.Duplicates += t.Duplicates
	sum.Skipped += t.Skipped
	sum.Violations += t.Violations
	sum.Bad += t.Bad
	sum.Acked += t.Acked
	sum.Streams += t.Streams
	sum.Unusable += t.Unusable
	sum.Undesired += t.Undesired
	sum.Objects += t.Objects
	sum.Open += t.Open
	sum.Rate += t.Rate
	sum.Oldest, sum.Prompt = earlier(sum.Oldest, t.Oldest), earlier(sum.Prompt, t.Prompt)
	sum.ByRule = addRules(sum.ByRule, t.ByRule)
}

func addCounters(sum, c *board.Counters) {
	sum.Events += c.Events
	sum.Steps += c.Steps
	sum.Duplicates += c.Duplicates
	sum.Skipped += c.Skipped
	sum.Known += c.Known
	sum.Bad += c.Bad
	sum.Fallbacks += c.Fallbacks
	sum.ByRule = addRules(sum.ByRule, c.ByRule)
}

// addRules adds counts to sum. Both are sorted.
func addRules(sum, counts []board.RuleCount) []board.RuleCount {
	for _, r := range counts {
		i, found := slices.BinarySearchFunc(sum, r, func(a, b board.RuleCount) int {
			return cmp.Or(strings.Compare(a.Spec, b.Spec), strings.Compare(a.Rule, b.Rule))
		})
		if !found {
			sum = slices.Insert(sum, i, board.RuleCount{Spec: r.Spec, Rule: r.Rule})
		}
		sum[i].Count += r.Count
	}
	return sum
}

// defaultLimit is the default of Query.Limit.
const defaultLimit = 100

// Streams implements board.Board.
func (m *Monitor) Streams(q board.Query) (page []board.Stream, total int) {
	now := time.Now()
	var all []seen
	found := m.found()
	for _, p := range m.all() {
		w := &p.view
		w.mu.Lock()
		for name, s := range w.streams {
			if one := (seen{s, name, p, found[name]}); strings.Contains(name, q.Find) && one.isAsked(q.Only) {
				all = append(all, one)
			}
		}
		w.mu.Unlock()
	}
	sort.Slice(all, func(i, j int) bool {
		a, b := &all[i], &all[j]
		switch q.Order {
		case board.ByName:
			return byName(a, b) < 0
		case board.ByRate:
			return cmp.Or(-cmp.Compare(a.rateAt(now), b.rateAt(now)), byName(a, b)) < 0
		}
		return cmp.Or(byFault(a, b), byName(a, b)) < 0
	})
	if q.Limit <= 0 {
		q.Limit = defaultLimit
	}
	some := pageOf(all, q.Skip, q.Limit)
	for i := range some {
		if d, ok := some[i].show(now, false); ok {
			page = append(page, d.Stream)
		}
	}
	return page, len(all)
}

func byName(a, b *seen) int {
	return cmp.Or(strings.Compare(a.name, b.name), strings.Compare(a.part.name, b.part.name))
}

// byFault compares only values that change with a fault, so that the list does not move
// while a user reads it.
func byFault(a, b *seen) int {
	if c := cmp.Or(cmp.Compare(b.faults(), a.faults()), b.latest.Compare(a.latest)); c != 0 {
		return c
	}
	for _, fault := range [...][2]bool{{a.unusable, b.unusable}, {a.undesired, b.undesired}, {a.open > 0, b.open > 0}} {
		if x, y := fault[0], fault[1]; x != y {
			if x {
				return -1
			}
			return 1
		}
	}
	return 0
}

// remembered is the summary of a stream's kept violations.
type remembered struct {
	latest   time.Time // when the latest one that is not acknowledged was found
	accepted int       // the number of acknowledged ones
}

// found returns the summaries of the kept violations, by stream.
func (m *Monitor) found() map[string]remembered {
	found := map[string]remembered{}
	for _, p := range m.all() {
		p.mu.Lock()
		for v := range p.recent.latest {
			one := found[v.Stream]
			if p.acked.of(&v.Violation) != nil {
				one.accepted++
			} else if v.Found.After(one.latest) {
				one.latest = v.Found
			}
			found[v.Stream] = one
		}
		p.mu.Unlock()
	}
	return found
}

// Stream implements board.Board.
func (m *Monitor) Stream(_ context.Context, name string) (*board.StreamDetail, bool) {
	for _, p := range m.all() {
		w := &p.view
		w.mu.Lock()
		s, known := w.streams[name]
		lag, unit := w.part.Lag, w.part.Unit
		w.mu.Unlock()
		if !known {
			continue
		}
		one := seen{s, name, p, m.found()[name]}
		d, ok := one.show(time.Now(), true)
		if ok {
			d.Lag, d.Unit = lag, unit
		}
		return d, ok
	}
	return nil, false
}

// AllStreams selects the violations of all streams.
const AllStreams = "*"

// Violations implements board.Board.
func (m *Monitor) Violations(stream string, skip, limit int) (page []board.Violation, total int) {
	var all []*board.Violation
	acked := map[*board.Violation]*board.Acknowledgement{}
	for _, p := range m.all() {
		p.mu.Lock()
		for v := range p.recent.latest {
			if stream == AllStreams || v.Stream == stream {
				all = append(all, v)
				if k := p.acked.of(&v.Violation); k != nil {
					acked[v] = k
				}
			}
		}
		p.mu.Unlock()
	}
	slices.SortStableFunc(all, func(a, b *board.Violation) int { return b.Found.Compare(a.Found) })
	for _, v := range pageOf(all, skip, limit) {
		shown := *v
		shown.Acked = acked[v]
		page = append(page, shown)
	}
	return page, len(all)
}

// pageOf returns at most limit entries of the list, after the first skip.
func pageOf[T any](list []T, skip, limit int) []T {
	list = list[min(max(skip, 0), len(list)):]
	return list[:min(max(limit, 0), len(list))]
}

// Violation implements board.Board.
func (m *Monitor) Violation(id string) (*board.Violation, bool) {
	for _, p := range m.all() {
		if v := p.violation(id); v != nil {
			return v, true
		}
	}
	return nil, false
}

// violation returns nil if it is not one of the latest.
func (p *part) violation(id string) *board.Violation {
	p.mu.Lock()
	defer p.mu.Unlock()
	for v := range p.recent.latest {
		if v.ID == id {
			c := *v
			c.Acked = p.acked.of(&v.Violation)
			return &c
		}
	}
	return nil
}

// Changes implements board.Board.
func (m *Monitor) Changes() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.changes
}
