// Package swarm records a live Docker swarm. It reads the swarm's changes from
// a manager's control socket, and writes lines of a format-1 trace. The
// existing objects come first, as snapshots. Then each transaction of the
// manager's store is a step.
package swarm

import (
	"cmp"
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"go.uber.org/zap"
)

// DefaultSocket is the path of the socket in an Engine with default settings.
const DefaultSocket = "/var/run/docker/swarm/control.sock"

// Options are the settings of a recording. The zero value is ready.
type Options struct {
	Socket string // "" is DefaultSocket
	Stream string // the name of the stream in each line
	Log    *zap.Logger

	// From is the Position of an earlier Source; "" begins a recording. seq
	// continues. If changes were missed, there is a gap, and snapshots follow.
	From string

	// Heard, unless nil, is called each time the manager answers, which is at
	// least every few seconds. Several goroutines may call it.
	Answered func()

	pace pace // the zero value: defaultPace
}

// pace has the timeouts and intervals of a Source.
type pace struct {
	answer   time.Duration // for a list or the start of a watch
	settle   time.Duration // after the lists, for changes that they already show
	retry    time.Duration // before the first reconnections
	retryMax time.Duration // before later ones
	look     time.Duration // between checks that the manager answers
	behind   time.Duration // for a manager to reach a known version
}

var defaultPace = pace{
	answer: 30 * time.Second, settle: 300 * time.Millisecond,
	retry: 100 * time.Millisecond, retryMax: time.Second, look: time.Minute,
	behind: 20 * time.Second,
}

// maxSettle bounds pace.settle, which grows while lists and changes disagree.
const maxSettle = 10 * time.Second

// Batch is one transaction, or one run of snapshots.
type Batch struct {
	Lines    []byte // whole lines, each with its line end; valid until the next batch
	Events   int    // number of lines, without a meta line before them
	Snapshot bool
	Gap      bool // of a Snapshot: changes before it were missed, which seq shows
}

// Source is a recording of a swarm.
type Source struct {
	opts      Options
	clusterID string
	limit     int64  // the history limit in the last meta line
	now       int64  // the history limit after all known changes
	nowAt     uint64 // the version that set it
	meta      []byte
	scribe    scribe
	began     bool          // something was recorded
	state     *mirror       // nil: the recorded state is unknown
	resume    uint64        // the version up to which everything is known
	saved     *position     // to resume from; nil: none, or state has it
	written   position      // after the last batch
	last      time.Time     // of the last transaction
	settle    time.Duration // current value
	refused   time.Time     // since when the manager has not reached resume; zero: it has
}

// Open connects to the swarm. Its error names the remedy.
func Open(ctx context.Context, opts Options) (*Source, error) {
	opts.Socket = cmp.Or(opts.Socket, DefaultSocket)
	opts.Log = cmp.Or(opts.Log, zap.NewNop())
	if opts.Answered == nil {
		opts.Answered = func() {}
	}
	if opts.pace == (pace{}) {
		opts.pace = defaultPace
	}
	if !utf8.ValidString(opts.Stream) {
		return nil, fmt.Errorf("the stream's name %q is not valid UTF-8: give another", opts.Stream)
	}
	if err := checkSocket(opts.Socket); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c, err := dial(ctx, opts.Socket, opts.pace.answer).cluster(ctx)
	if err != nil {
		return nil, explain(opts.Socket, err)
	}
	s := &Source{opts: opts, clusterID: c.ID, settle: opts.pace.settle}
	s.know(c)
	s.limit = s.now
	s.scribe.stream, s.scribe.log = opts.Stream, opts.Log
	s.meta = metaLine(opts.Stream, s.limit)
	if opts.From != "" {
		if err := s.goOn(opts.From); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Meta is the meta line, with its line end, for the next lines. A file of the
// recording begins with it.
func (s *Source) Meta() []byte { return s.meta }
