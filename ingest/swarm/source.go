// Package swarm reads the changes of a live Docker swarm from a manager's
// control socket and tells them as lines of a format-1 trace: what stands at
// first as snapshots, then each transaction of the manager's store.
package swarm

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"go.uber.org/zap"
)

// DefaultSocket is where an Engine that was not told otherwise has it.
const DefaultSocket = "/var/run/docker/swarm/control.sock"

// Options say what to record. The zero value is ready for use.
type Options struct {
	Socket string // "" is DefaultSocket
	Stream string // the name that each line gives its stream
	Log    *zap.Logger

	// From is the Position that another Source came to; "" begins a recording.
	// The lines go on in seq. Where the swarm has changed meanwhile, there is a
	// gap, and what stands comes as snapshots.
	From string

	// Heard, where it is set, is called each time the manager answers, at least
	// every few seconds while it does. It is called from several goroutines.
	Heard func()

	pace pace // the zero value: defaultPace
}

// pace is how long the Source waits for what.
type pace struct {
	answer   time.Duration // for a list or the start of a watch
	settle   time.Duration // after the lists, for the changes that they already show
	retry    time.Duration // between the first attempts to connect again
	retryMax time.Duration // between later ones
	look     time.Duration // between looks whether the manager still answers
	behind   time.Duration // for a manager to reach a version that there is
}

var defaultPace = pace{
	answer: 30 * time.Second, settle: 300 * time.Millisecond,
	retry: 100 * time.Millisecond, retryMax: time.Second, look: time.Minute,
	behind: 20 * time.Second,
}

// maxSettle bounds the growth of pace.settle where lists and changes disagree.
const maxSettle = 10 * time.Second

// Batch is what belongs together: one transaction, or one run of snapshots.
type Batch struct {
	Lines    []byte // whole lines, each with its end; they live until the next batch
	Events   int    // how many lines, but for a meta line that comes first where the history limit has changed
	Snapshot bool
	Gap      bool // of a Snapshot: changes before it were missed, and seq says so
}

// Source is a swarm that is being recorded.
type Source struct {
	opts      Options
	clusterID string
	limit     int64  // the history limit that the last meta line states
	now       int64  // the one in force after the changes that are known
	nowAt     uint64 // the version that states it
	meta      []byte
	scribe    scribe
	began     bool          // something was told
	state     *mirror       // nil: what was told does not hold any more
	resume    uint64        // the version up to which all is known
	saved     *position     // to go on from; nil: there is none, or the state has it
	told      position      // with the last batch
	last      time.Time     // of the last transaction
	settle    time.Duration // at present
	refused   time.Time     // when a manager first had not reached resume; zero: it has
}

// Open looks at the swarm for the first time. Its error says what to do.
func Open(ctx context.Context, opts Options) (*Source, error) {
	if opts.Socket == "" {
		opts.Socket = DefaultSocket
	}
	if opts.Log == nil {
		opts.Log = zap.NewNop()
	}
	if opts.Heard == nil {
		opts.Heard = func() {}
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
	m, err := dial(opts.Socket, opts.pace.answer)
	if err != nil {
		return nil, err
	}
	defer m.close()
	c, err := m.cluster(ctx)
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

// Meta is the line, with its end, that a file of the recording begins with: it
// states the settings of what comes next.
func (s *Source) Meta() []byte { return s.meta }
