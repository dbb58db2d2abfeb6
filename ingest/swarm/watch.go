package swarm

import (
	"context"
	"errors"
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

// limit is the task history limit that the commit sets, if it does.
func (c *changes) limit() (limit int64, set bool) {
	for _, e := range c.events {
		if e.Object == nil || e.Action == api.WatchActionKindRemove {
			continue
		}
		if cluster := e.Object.GetCluster(); cluster != nil {
			limit, set = historyLimit(cluster), true
		}
	}
	return limit, set
}

// errRefused: the manager has not got the changes since the version asked for.
var errRefused = errors.New("the manager cannot resume")

// ahead is how many messages are read ahead of who takes them.
const ahead = 1024

// start begins a watch, with the changes since the version where it is not 0.
// When it returns, each later change will be in the stream.
func (m *manager) start(ctx context.Context, since uint64) (*stream, error) {
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
	watch, err := m.begin(ctx, request)
	if err != nil {
		// What the store refuses has no code of its own.
		if since > 0 && status.Code(err) == codes.Unknown {
			return nil, errRefused
		}
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
func (m *manager) begin(ctx context.Context, request *api.WatchRequest) (api.Watch_WatchClient, error) {
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
		return nil, err
	}
	return watch, nil // its context ends with the caller's
}
