package monitor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"tracecheck/monitor/alert"
	"tracecheck/monitor/board"
	"tracecheck/monitor/checkpoint"
	"tracecheck/validators"
)

// Options are what a monitor is made of.
type Options struct {
	Source Source
	Judge  validators.Options // KeepGoing and Recover are set by New
	Outbox alert.Outbox

	Store     checkpoint.Store // nil: nothing is kept
	Every     time.Duration    // between checkpoints; 0 is DefaultEvery
	StartOver bool             // what is kept does not count
	// Settle is how long a part that ends waits for its alerts to be taken; 0 is
	// DefaultSettle. Those that are not taken are sent again by its next owner.
	Settle time.Duration
	// Look is how often what is shown is brought up to date, and how long judging
	// waits before that shows; 0 is DefaultLook.
	Look time.Duration

	// DeadLetters, where it is set, takes what is no event. After an error it is
	// called again with the same.
	DeadLetters func(ctx context.Context, part string, letters []Bad) error

	// Receivers tells how the alerts' receivers do; nil: there are none.
	Receivers func() []board.Receiver

	Version string // of the program
	Reads   string // what the source is, in words without secrets
	// GCPercent is the process's, to go back to when a checkpoint is loaded, or is
	// written; 0: the garbage collector is left alone.
	GCPercent int

	Lines int // how many bytes of lines are kept for the timelines of violations; 0 is DefaultLines
	Log   *zap.Logger
}

// DefaultEvery is the time between two checkpoints of a part.
const DefaultEvery = 10 * time.Second

// DefaultSettle is how long a part that ends waits for its alerts to be taken.
const DefaultSettle = 3 * time.Second

// DefaultLook is how often what is shown is brought up to date.
const DefaultLook = time.Second

// DefaultLines is how many bytes of the latest lines a monitor keeps.
const DefaultLines = 32 << 20

// Monitor judges what its source hands out. Its Board may be asked at any time.
type Monitor struct {
	opts    Options
	started time.Time

	mu      sync.Mutex
	parts   map[string]*part
	changes chan struct{}   // closed at the next change
	kept    map[string]bool // parts that this process has saved
	gone    board.Counters  // of parts that are not this process's any more

	collector collector
	noting    sync.Mutex // who notes a share of a part's streams
}

// New checks the options; an error is one of usage.
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
	if opts.Lines == 0 {
		opts.Lines = DefaultLines
	}
	if opts.Log == nil {
		opts.Log = zap.NewNop()
	}
	opts.Judge.KeepGoing, opts.Judge.Recover = true, true
	if _, err := validators.NewRunner(opts.Judge); err != nil {
		return nil, err
	}
	return &Monitor{
		opts: opts, started: time.Now(), parts: map[string]*part{}, changes: make(chan struct{}), kept: map[string]bool{},
		collector: collector{percent: opts.GCPercent},
	}, nil
}

// Run judges until ctx ends, which is no error: what is known is kept then.
// Another error says what failed, and has kept what could be.
func (m *Monitor) Run(ctx context.Context) error {
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
		m.opts.Log.Error("a part cannot be judged on", zap.String("part", src.Name()), zap.Error(err))
		p.update(time.Now(), false)
		p.set(board.Failed, err.Error())
		return fmt.Errorf("%s: %w", src.Name(), err)
	}
	m.close(p)
	return nil
}

// open makes the part.
func (m *Monitor) open(src Part) (*part, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	name := src.Name()
	old := m.parts[name]
	if old != nil && old.view.state() != board.Failed {
		return nil, fmt.Errorf("%s is judged already", name)
	}
	runner, err := validators.NewRunner(m.opts.Judge)
	if err != nil {
		return nil, err
	}
	p := newPart(m, src, runner)
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

// count adds to what is gone what the part has counted, which is not judged any
// more; m.mu is held.
func (m *Monitor) count(p *part) {
	p.view.mu.Lock()
	defer p.view.mu.Unlock()
	addCounters(&m.gone, &p.view.counted)
}

// isAnew reports whether what is kept of the part does not count: until this
// process has kept something of it itself.
func (m *Monitor) isAnew(name string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.opts.StartOver && !m.kept[name]
}

// hasKept notes that this process has.
func (m *Monitor) hasKept(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept[name] = true
}

// partCount is how many parts there are.
func (m *Monitor) partCount() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.parts)
}

// all are the parts by name.
func (m *Monitor) all() []*part {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.sorted()
}

// sorted is all; m.mu is held.
func (m *Monitor) sorted() []*part {
	list := make([]*part, 0, len(m.parts))
	for _, p := range m.parts {
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b *part) int { return cmp.Compare(a.name, b.name) })
	return list
}

// wake is changed.
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
