package swarm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"tracecheck/ingest/swarm/wire"
)

// changes are the changes of one store commit to recorded objects.
type changes struct {
	events  []*wire.Event
	version uint64 // of the commit; 0: unknown, since the manager is not the leader
	at      time.Time
}

// stream is an active watch.
type stream struct {
	messages <-chan changes // closed at the end
	err      error          // why it ended; read it after messages is closed
	stop     context.CancelFunc
}

// kinds are watched without filters, since a filter would hide parts of
// transactions. A cluster has the history limit.
var kinds = []string{"node", "service", "task", "cluster"}

// cluster returns the cluster that the commit changed, or nil.
func (c *changes) cluster() (cluster *wire.Cluster) {
	for _, e := range c.events {
		if changed, is := e.Object.(*wire.Cluster); is && e.Action != wire.Remove {
			cluster = changed
		}
	}
	return cluster
}

// Why a manager does not have the requested changes.
var (
	errCompacted = errors.New("the manager has not kept them")
	errBehind    = errors.New("the manager has not reached it") // it may reach it later
)

// ahead is the number of buffered messages.
const ahead = 1024

// start begins a watch, with the changes since the version unless it is 0. When
// it returns, the stream will have every later change. A restarted manager
// applies its log again, so the stream may repeat earlier changes, in order.
func (m *manager) start(ctx context.Context, since uint64) (*stream, error) {
	ctx, stop := context.WithCancel(ctx)
	watch, err := m.begin(ctx, since)
	if err != nil {
		stop()
		return nil, err
	}
	messages := make(chan changes, ahead)
	s := &stream{messages: messages, stop: stop}
	go func() {
		defer close(messages)
		for {
			var msg *wire.Message
			if msg, s.err = watch.next(); s.err != nil {
				return
			}
			c := changes{events: msg.Events, at: time.Now()}
			if msg.Version != nil {
				c.version = msg.Version.Index
			}
			select {
			case messages <- c:
			case <-ctx.Done():
				s.err = ctx.Err()
				return
			}
		}
	}()
	return s, nil
}

// extend replaces the watch by one that begins at the version, if the manager
// has the changes since then. A new leader lists its store before it has applied
// its log. So the lists may lack changes that this manager has applied already.
func (m *manager) extend(ctx context.Context, watch *stream, version uint64) (*stream, error) {
	if version == 0 {
		return watch, nil
	}
	longer, err := m.start(ctx, version)
	switch {
	case err == nil:
		watch.stop()
		return longer, nil
	case errors.Is(err, errCompacted) || errors.Is(err, errBehind):
		return watch, nil
	default:
		return nil, err
	}
}

// begin waits for the empty message that confirms the watch.
func (m *manager) begin(ctx context.Context, since uint64) (*call[wire.Message], error) {
	ctx, cancel := context.WithCancelCause(ctx)
	late := time.AfterFunc(m.answer, func() { cancel(context.DeadlineExceeded) })
	watch, err := invoke[wire.Message](ctx, m, wire.Watch, wire.WatchRequest(kinds, since))
	if err == nil {
		_, err = watch.next()
	}
	if !late.Stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		cancel(err)
		return nil, refusal(err, since)
	}
	return watch, nil // its context ends with the caller's
}

// refusal explains why a store cannot resume. Its errors have no codes.
func refusal(err error, since uint64) error {
	switch {
	case since == 0 || codeOf(err) != codeUnknown:
		return err
	case strings.Contains(message(err), "compaction"):
		return errCompacted
	default:
		return fmt.Errorf("%w: version %d: %s", errBehind, since, message(err))
	}
}

// reach waits until the manager's log has the version, up to a limit. A
// follower's lists come from the leader.
func (m *manager) reach(ctx context.Context, version uint64, wait pace) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for begin := time.Now(); version > 0; {
		_, err := m.begin(ctx, version)
		switch {
		case errors.Is(err, errCompacted):
			return nil
		case !errors.Is(err, errBehind) || time.Since(begin) > wait.behind:
			return err
		}
		select {
		case <-time.After(wait.retry):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
