package monitor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"tracecheck/ingest"
	"tracecheck/monitor/alert"
	"tracecheck/monitor/board"
	"tracecheck/monitor/checkpoint"
	"tracecheck/validators"
)

// Options are the settings of a monitor.
type Options struct {
	Source Source
	Judge  validators.Options // KeepGoing and Recover are set by New
	Outbox alert.Outbox

	Store     checkpoint.Store // nil: no checkpoints
	Every     time.Duration    // between checkpoints; 0 is DefaultEvery
	StartOver bool             // ignore what the store has
	// Settle is how long a part that ends waits for the delivery of its alerts. 0
	// is DefaultSettle. Its next owner sends the others.
	Settle time.Duration
	// Look is the interval of updates of the board. Judging that waits for longer is
	// shown as waiting. 0 is DefaultLook.
	Look time.Duration

	// DeadLetters receives malformed records, unless it is nil. After an error
	// it is called again with the same records.
	DeadLetters func(ctx context.Context, part string, records []ingest.Malformed) error

	// Receivers returns the state of the alerts' receivers; nil: there are
	// none.
	Receivers func() []board.Receiver

	Version string // of the program
	Reads   string // the source, for people, without secrets
	// GCPercent is the process's setting, restored after a checkpoint was
	// loaded or written. 0: it is never changed.
	GCPercent int

	Lines int // bytes of lines kept for the timelines of violations; 0 is DefaultLines
	Log   *zap.Logger
}

// DefaultEvery is the time between two checkpoints of a part.
const DefaultEvery = 10 * time.Second

// DefaultSettle is the default of Options.Settle.
const DefaultSettle = 3 * time.Second

// DefaultLook is the default of Options.Look.
const DefaultLook = time.Second

// DefaultLines is the size of the latest lines that a monitor keeps, in bytes.
const DefaultLines = 32 << 20

// Monitor judges the parts of its source. Its Board methods may be called at
// any time.
type Monitor struct {
	opts    Options
	started time.Time

	mu      sync.Mutex
	parts   map[string]*part
	changes chan struct{}   // closed at the next change
	kept    map[string]bool // parts that this process has saved
	gone    board.Counters  // of parts that this process does not own any more

	past      past
	collector collector
	noting    sync.Mutex // held while a share of a part's streams is encoded
}

// New checks the options. An error is a usage error.
func New(opts Options) (*Monitor, error) {
	if opts.Every <= 0 {
		opts.Every = DefaultEvery
	}
	if opts.Settle <= 0 {
		opts.Settle = DefaultSettle
	}
	if opts.Look <= 0 {
		opts.Look = DefaultLook
	}
	opts.Lines = cmp.Or(opts.Lines, DefaultLines)
	opts.Log = cmp.Or(opts.Log, zap.NewNop())
	opts.Judge.KeepGoing, opts.Judge.Recover = true, true
	if _, err := validators.NewRunner(opts.Judge); err != nil {
		return nil, err
	}
	return &Monitor{
		opts: opts, started: time.Now(), parts: map[string]*part{}, changes: make(chan struct{}), kept: map[string]bool{},
		collector: collector{percent: opts.GCPercent},
	}, nil
}

// Run judges until ctx ends, and then saves a checkpoint of each part. It
// returns nil when ctx ends. After another error, the parts that can be saved
// are saved.
func (m *Monitor) Run(ctx context.Context) error {
	looking, stop := context.WithCancel(ctx)
	defer stop()
	go m.remember(looking)
	err := m.opts.Source.Run(ctx, m.judge)
	if ctx.Err() != nil && (err == nil || errors.Is(err, ctx.Err())) {
		return nil
	}
	return err
}

// judge owns a part until ctx ends.
func (m *Monitor) judge(ctx context.Context, src Part) error {
	come, peers := gate(src)
	defer come()
	p, err := m.open(src)
	if err != nil {
		return err
	}
	err = p.run(ctx, peers)
	if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = nil
	}
	if err != nil {
		m.opts.Log.Error("judging of a part failed", zap.String("part", src.Name()), zap.Error(err))
		p.update(time.Now(), false)
		p.set(board.Failed, err.Error())
		return fmt.Errorf("%s: %w", src.Name(), err)
	}
	m.close(p)
	return nil
}

// open creates the part.
func (m *Monitor) open(src Part) (*part, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	name := src.Name()
	old := m.parts[name]
	if old != nil && old.view.state() != board.Failed {
		return nil, fmt.Errorf("this process judges %s already", name)
	}
	p, err := newPart(m, src)
	if err != nil {
		return nil, err
	}
	m.parts[name] = p
	if old != nil {
		m.count(old)
	}
	m.changed()
	return p, nil
}

func (m *Monitor) close(p *part) {
	p.update(time.Now(), false)
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.parts, p.name)
	m.count(p)
	m.opts.Outbox.Drop(p.name)
	m.changed()
}

// count adds the counters of a part that this process gives up; m.mu is held.
func (m *Monitor) count(p *part) {
	p.view.mu.Lock()
	defer p.view.mu.Unlock()
	addCounters(&m.gone, &p.view.counted)
}

// startsOver reports whether to ignore the store's checkpoint of the part. It
// is false once this process has saved the part.
func (m *Monitor) startsOver(name string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.opts.StartOver && !m.kept[name]
}

// hasKept notes that this process has saved the part.
func (m *Monitor) hasKept(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept[name] = true
}

// partCount returns the number of parts.
func (m *Monitor) partCount() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.parts)
}

// all returns the parts, sorted by name.
func (m *Monitor) all() []*part {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.sorted()
}

// sorted is like all; m.mu is held.
func (m *Monitor) sorted() []*part {
	return slices.SortedFunc(maps.Values(m.parts), func(a, b *part) int { return cmp.Compare(a.name, b.name) })
}

// wake is like changed.
func (m *Monitor) wake() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.changed()
}

// changed wakes those who wait for changes; m.mu is held.
func (m *Monitor) changed() {
	close(m.changes)
	m.changes = make(chan struct{})
}
