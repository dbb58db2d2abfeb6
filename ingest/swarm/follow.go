package swarm

import (
	"context"
	"fmt"
	"time"

	"go.uber.org/zap"

	"tracecheck/ingest/swarm/object"
	"tracecheck/ingest/swarm/wire"
)

// step is a transaction that is ready to be recorded.
type step struct {
	tx    any
	at    time.Time
	list  []object.Change
	limit int64    // the history limit in force
	mark  position // the position after it
}

// follow records the changes as they arrive. It returns errHole if one does not
// follow from those before.
func (s *Source) follow(ctx context.Context, m *manager, watch *stream, take func(Batch) error) error {
	look := time.NewTicker(s.opts.pace.look)
	defer look.Stop()
	for {
		select {
		case msg, ok := <-watch.messages:
			if !ok {
				return watch.err
			}
			if s.state.knows(msg) {
				s.skip(msg)
				continue
			}
			if s.isSuspect(msg) {
				return errSuspect
			}
			one, err := s.step(msg)
			if err != nil {
				return err
			}
			if err := s.write([]step{one}, take); err != nil {
				return err
			}
		case <-look.C:
			// A manager that was disconnected may return with another store:
			// ask it for the changes instead.
			if _, err := m.cluster(ctx); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s *Source) step(msg changes) (step, error) {
	s.noteLimit(msg)
	tx, list, err := s.state.apply(msg)
	s.resume = max(s.resume, msg.version, s.state.index)
	if err != nil {
		return step{}, err
	}
	return step{tx, msg.at, list, s.now, s.mark()}, nil
}

// skip handles a transaction without recorded changes.
func (s *Source) skip(msg changes) {
	s.noteLimit(msg)
	s.resume = max(s.resume, msg.version)
}

func (s *Source) noteLimit(msg changes) {
	if c := msg.cluster(); c != nil && c.Meta.Version.Index >= s.nowAt {
		s.know(c)
	}
}

// know reads the history limit from the cluster's object.
func (s *Source) know(c *wire.Cluster) { s.now, s.nowAt = historyLimit(c), c.Meta.Version.Index }

// states updates the meta line if the history limit has changed, and returns
// it. It precedes the lines that it applies to.
func (s *Source) states(limit int64) []byte {
	if limit == s.limit {
		return nil
	}
	s.opts.Log.Info("the task history limit has changed", zap.Int64("from", s.limit), zap.Int64("to", limit))
	s.limit, s.meta = limit, metaLine(s.opts.Stream, limit)
	return s.meta
}

func (s *Source) write(steps []step, take func(Batch) error) error {
	for _, one := range steps {
		if len(one.list) == 0 {
			continue
		}
		s.last = one.at
		b := Batch{Lines: s.scribe.transaction(s.states(one.limit), one.tx, one.at, one.list), Events: len(one.list)}
		s.reached(one.mark)
		if err := take(b); err != nil {
			return err
		}
	}
	return nil
}

// settled notes that nothing is missing up to here.
func (s *Source) settled() { s.state.base = max(s.state.index+1, s.resume) }

// catchUp makes steps of the changes since the recording stopped, and of those
// from more, which returns nil at the end. It returns steps only if they lead
// to the current objects. After an error the mirror is invalid.
func (s *Source) catchUp(c cut, since []changes, more func() ([]changes, error)) ([]step, error) {
	var steps []step
	last := s.last
	s.settled()
	for {
		for _, msg := range since {
			if s.state.knows(msg) {
				s.skip(msg)
				continue
			}
			if s.isSuspect(msg) {
				return nil, fmt.Errorf("%w: the manager fell behind the others", errHole)
			}
			last = stamp(msg, last)
			msg.at = last
			one, err := s.step(msg)
			if err != nil {
				return nil, err
			}
			steps = append(steps, one)
			s.state.base = max(s.state.base, msg.version)
		}
		if s.state.agrees(c) {
			s.settled()
			return steps, nil
		}
		var err error
		if since, err = more(); err != nil {
			return nil, err
		}
		if since == nil {
			return nil, fmt.Errorf("%w: the changes since version %d do not lead to the current objects", errHole, s.resume)
		}
	}
}

// stamp is the time of the change by the manager's clock, but not before last.
func stamp(msg changes, last time.Time) time.Time {
	at := last
	for _, e := range msg.events {
		o := objectOf(e)
		if o == nil || e.Action == wire.Remove {
			continue
		}
		if then := o.GetMeta().Time(); then.After(at) {
			at = then
		}
	}
	if at.After(msg.at) || at.IsZero() {
		return msg.at
	}
	return at
}
