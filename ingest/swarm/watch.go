package swarm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/moby/swarmkit/v2/api"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// changes is what one store commit did to objects that are recorded.
type changes struct {
	events  []*api.WatchMessage_Event
	version uint64 // of the commit; 0: the manager, not being the leader, does not say
	at      time.Time
}

// stream is a running watch.
type stream struct {
	messages <-chan changes // closed at the end
	err      error          // why it ended; read it after messages is closed
}

// kinds are watched without filters: what a filter held back would be missing
// from its transaction. A cluster has the history limit.
var kinds = []string{"node", "service", "task", "cluster"}

// cluster is the one that the commit changed, nil if it did not.
func (c *changes) cluster() (cluster *api.Cluster) {
	for _, e := range c.events {
		if e.Object != nil && e.Action != api.WatchActionKindRemove && e.Object.GetCluster() != nil {
			cluster = e.Object.GetCluster()
		}
	}
	return cluster
}

// Why a manager has not got the changes since the version asked for.
var (
	errCompacted = errors.New("the manager has not kept them")
	errBehind    = errors.New("the manager has not reached it") // which it may do yet
)

// ahead is how many messages are read ahead of who takes them.
const ahead = 1024

// start begins a watch, with the changes since the version where it is not 0.
// When it returns, each later change will be in the stream. A manager that has
// restarted applies its log again: the stream may repeat what is older, in order.
func (m *manager) start(ctx context.Context, since uint64) (*stream, error) {
	watch, err := m.begin(ctx, since)
	if err != nil {
		return nil, err
	}
	messages := make(chan changes, ahead)
	s := &stream{messages: messages}
	go func() {
		defer close(messages)
		for {
			var msg *api.WatchMessage
			if msg, s.err = watch.Recv(); s.err != nil {
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

// begin waits for the empty message that says that the watch stands.
func (m *manager) begin(ctx context.Context, since uint64) (api.Watch_WatchClient, error) {
	request := &api.WatchRequest{}
	for _, kind := range kinds {
		request.Entries = append(request.Entries, &api.WatchRequest_WatchEntry{
			Kind:   kind,
			Action: api.WatchActionKindCreate | api.WatchActionKindUpdate | api.WatchActionKindRemove,
		})
	}
	if since > 0 {
		request.ResumeFrom = &api.Version{Index: since}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	late := time.AfterFunc(m.answer, func() { cancel(context.DeadlineExceeded) })
	watch, err := m.watch.Watch(ctx, request)
	if err == nil {
		_, err = watch.Recv()
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

// refusal tells why a store refuses to resume: its errors have no code of their own.
func refusal(err error, since uint64) error {
	switch s := status.Convert(err); {
	case since == 0 || s.Code() != codes.Unknown:
		return err
	case strings.Contains(s.Message(), "compaction"):
		return errCompacted
	default:
		return fmt.Errorf("%w: version %d: %s", errBehind, since, s.Message())
	}
}

// reach waits until the manager has the version in its log, but no longer than
// that. A follower's lists are the leader's.
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
