package web

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"tracecheck/monitor/board"
)

// fakeBoard is a board that states what it is asked to.
type fakeBoard struct {
	mu         sync.Mutex
	overview   board.Overview
	streams    []board.StreamDetail
	violations []board.Violation // newest first
	changed    chan struct{}
	busy       bool // streams do not answer
	past       []board.Sample
}

func newBoard() *fakeBoard { return &fakeBoard{changed: make(chan struct{})} }

// change changes something and tells.
func (b *fakeBoard) change(how func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	how()
	close(b.changed)
	b.changed = make(chan struct{})
}

func (b *fakeBoard) Overview() board.Overview {
	b.mu.Lock()
	defer b.mu.Unlock()
	o := b.overview
	o.Parts, o.Alerts = slices.Clone(o.Parts), slices.Clone(o.Alerts)
	return o
}

func (b *fakeBoard) Streams(q board.Query) ([]board.Stream, int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var found []board.Stream
	for i := range b.streams {
		s := b.streams[i].Stream
		is := map[string]bool{"": true, "unusable": s.Unusable != "", "violations": s.Violations > 0, "undesired": undesired(s.Desired) != nil, "waiting": s.Open > 0}
		if is[q.Only] && strings.Contains(s.Stream, q.Find) {
			found = append(found, s)
		}
	}
	fault := func(s *board.Stream) int {
		n := 0
		if s.Unusable != "" {
			n += 4
		}
		if s.Violations > 0 {
			n += 2
		}
		if undesired(s.Desired) != nil {
			n++
		}
		return -n
	}
	slices.SortStableFunc(found, func(x, y board.Stream) int {
		switch q.Order {
		case board.ByName:
			return strings.Compare(x.Stream, y.Stream)
		case board.ByRate:
			return cmp.Compare(y.Rate, x.Rate)
		}
		return fault(&x) - fault(&y)
	})
	return cut(found, q.Skip, q.Limit), len(found)
}

func cut[T any](list []T, skip, limit int) []T {
	skip = min(skip, len(list))
	return list[skip:min(len(list), skip+limit)]
}

func (b *fakeBoard) Stream(ctx context.Context, name string) (*board.StreamDetail, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.busy {
		b.mu.Unlock()
		<-ctx.Done()
		b.mu.Lock()
		return nil, false
	}
	for i := range b.streams {
		if b.streams[i].Stream.Stream == name {
			s := b.streams[i]
			return &s, true
		}
	}
	return nil, false
}

func (b *fakeBoard) Violations(stream string, skip, limit int) ([]board.Violation, int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var found []board.Violation
	for i := range b.violations {
		if stream == "*" || b.violations[i].Stream == stream {
			found = append(found, b.violations[i])
		}
	}
	return cut(found, skip, limit), len(found)
}

func (b *fakeBoard) Violation(id string) (*board.Violation, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.violations {
		if b.violations[i].ID == id {
			v := b.violations[i]
			return &v, true
		}
	}
	return nil, false
}

func (b *fakeBoard) Past() []board.Sample { return b.past }

func (b *fakeBoard) Changes() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.changed
}
