package swarm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"tracecheck/internal/remind"
)

// takeError is an error of take. It ends the run.
type takeError struct{ error }

// Run records until ctx ends, and then returns nil, or until take fails. It
// calls take for each batch, in order. The first one has the existing objects.
// While the manager is unavailable, Run waits for it.
func (s *Source) Run(ctx context.Context, take func(Batch) error) error {
	var failures int
	var away remind.Reminder
	var reported string
	for {
		recorded, err := s.session(ctx, func(b Batch) error {
			if err := take(b); err != nil {
				return takeError{err}
			}
			return nil
		})
		if failed, ok := errors.AsType[takeError](err); ok {
			return failed.error
		}
		if ctx.Err() != nil {
			return nil
		}
		if errors.Is(err, errSuspect) {
			continue // to ask for what was missed
		}
		if !errors.Is(err, errBehind) {
			s.refused = time.Time{}
		}
		if recorded {
			away.Over()
			failures, reported = 0, ""
		}
		if why := message(err); away.Due(time.Now()) || why != reported {
			reported = why
			s.opts.Log.Warn("the manager is unavailable; waiting for it",
				zap.String("socket", s.opts.Socket), zap.String("error", why))
		}
		pause := min(s.opts.pace.retry<<min(failures, 16), s.opts.pace.retryMax)
		failures++
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil
		}
	}
}

// session records over one connection. recorded reports whether it recorded
// anything.
func (s *Source) session(ctx context.Context, take func(Batch) error) (recorded bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m := dial(ctx, s.opts.Socket, s.opts.pace.answer)
	if err := s.look(ctx, m); err != nil {
		return false, err
	}
	watch, err := s.watch(ctx, m)
	if err != nil {
		return false, err
	}
	go s.ask(ctx, m)
	for {
		if watch, err = s.sync(ctx, m, watch, take); err != nil {
			return recorded, err
		}
		recorded = true
		err = s.follow(ctx, m, watch, take)
		if !errors.Is(err, errHole) {
			return recorded, err
		}
		s.forget(err.Error())
		s.settle = min(2*s.settle, maxSettle)
	}
}

// askEvery is the interval of checking that the manager answers.
const askEvery = 2 * time.Second

// ask polls the manager until ctx ends: changes may be rare, and take may be
// slow.
func (s *Source) ask(ctx context.Context, m *manager) {
	for {
		if _, err := m.cluster(ctx); err == nil {
			s.opts.Answered()
		}
		select {
		case <-time.After(askEvery):
		case <-ctx.Done():
			return
		}
	}
}

// look checks which swarm this is.
func (s *Source) look(ctx context.Context, m *manager) error {
	c, err := m.cluster(ctx)
	if err != nil {
		return err
	}
	if c.ID != s.clusterID {
		s.clusterID = c.ID
		s.forget("this is another swarm")
	}
	return nil
}

// watch resumes from the position of the recording, if the manager can.
func (s *Source) watch(ctx context.Context, m *manager) (*stream, error) {
	if !s.known() {
		return m.start(ctx, 0)
	}
	watch, refused := m.start(ctx, s.resume)
	switch {
	case errors.Is(refused, errBehind):
		if s.refused.IsZero() {
			s.refused = time.Now()
		}
		if time.Since(s.refused) < s.opts.pace.behind {
			return nil, refused
		}
	case !errors.Is(refused, errCompacted):
		return watch, refused
	}
	watch, err := m.start(ctx, 0)
	if err == nil {
		s.forget(fmt.Sprintf("the manager does not have the changes since version %d: %v", s.resume, refused))
	}
	return watch, err
}

// rounds bounds how often the objects are compared with the changes, each time
// after a longer wait.
const rounds = 4

// sync brings the recording to the current objects: by the changes since it
// stopped if possible, else by snapshots. It returns the watch to follow.
func (s *Source) sync(ctx context.Context, m *manager, watch *stream, take func(Batch) error) (*stream, error) {
	cluster, err := m.cluster(ctx)
	if err != nil {
		return nil, err
	}
	c, sure, err := m.list(ctx)
	if err != nil {
		return nil, err
	}
	newest := c.version()
	if err := m.reach(ctx, newest, s.opts.pace); err != nil && !errors.Is(err, errBehind) {
		return nil, err
	}
	if !s.known() || sure < s.resume {
		if watch, err = m.extend(ctx, watch, sure); err != nil {
			return nil, err
		}
	}
	since, err := watch.gather(ctx, c, newest, s.settle)
	if err != nil {
		return nil, err
	}
	s.restore(c)
	if s.state != nil {
		known := s.remember()
		pause, round := s.settle, 1
		steps, err := s.catchUp(c, since, func() (more []changes, err error) {
			if round++; round > rounds {
				return nil, nil
			}
			pause *= 2
			more, err = watch.gather(ctx, c, newest, pause)
			since = append(since, more...)
			return more, err
		})
		if err == nil {
			s.opts.Log.Info("the recording resumes without a gap")
			return watch, s.write(steps, take)
		}
		if !errors.Is(err, errHole) {
			s.recall(known) // and try again
			return nil, err
		}
		s.forget(err.Error())
	}
	s.state = newMirror(c)
	s.state.base, s.resume = sure+1, s.state.index
	s.know(cluster)
	for _, msg := range since {
		s.resume = max(s.resume, msg.version)
		s.noteLimit(msg)
	}
	gap := s.began
	s.began, s.last = true, time.Now()
	list := s.state.snapshot()
	s.opts.Log.Info("the swarm's objects are listed; changes follow", zap.Int("objects", len(list)))
	b := Batch{Lines: s.scribe.snapshot(s.states(s.now), s.last, list, gap), Events: len(list), Snapshot: true, Gap: gap}
	s.reached(s.mark())
	return watch, take(b)
}

// known is what a Source knows of the swarm.
type known struct {
	state  *mirror
	resume uint64
	now    int64
	nowAt  uint64
}

func (s *Source) remember() known { return known{s.state.copy(), s.resume, s.now, s.nowAt} }

func (s *Source) recall(k known) {
	s.state, s.resume, s.now, s.nowAt = k.state, k.resume, k.now, k.nowAt
}
