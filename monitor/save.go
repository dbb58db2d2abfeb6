package monitor

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"tracecheck/monitor/alert"
	"tracecheck/monitor/checkpoint"
	"tracecheck/trace"
	"tracecheck/validators"
)

// head is a checkpoint but for the streams' states.
type head struct {
	Version  int             `json:"version"`
	Settings string          `json:"settings"`
	Of       Identity        `json:"of,omitzero"`
	Position Position        `json:"position"`
	Missed   *trace.Error    `json:"missed,omitempty"`
	Totals   totals          `json:"totals"`
	Pending  []alert.Pending `json:"pending,omitempty"`
	Recent   int             `json:"recent"` // how many violations there were
	Saved    time.Time       `json:"saved"`
}

const headVersion = 1

// The names of records: a stream's state, or one of the latest violations.
const (
	streamRecord    = "s"
	violationRecord = "v"
)

// load takes the part over. nil: nothing is kept.
func (p *part) load(ctx context.Context) (checkpoint.Part, error) {
	o := &p.m.opts
	if o.Store == nil {
		return nil, nil
	}
	kept, err := o.Store.Open(ctx, p.name)
	if err != nil {
		return nil, fmt.Errorf("cannot take over its checkpoint: %w", err)
	}
	if p.m.isAnew(p.name) {
		p.anew = true
		return kept, nil
	}
	defer p.m.whileLoading()()
	var h head
	var latest []string
	var some restoring
	found, err := kept.Load(ctx, func(data []byte) error { return p.accept(data, &h) }, func(name string, state []byte) (err error) {
		switch {
		case strings.HasPrefix(name, streamRecord):
			err = some.add(p, name[len(streamRecord):], state)
		case strings.HasPrefix(name, violationRecord):
			latest = append(latest, string(state))
		default:
			err = fmt.Errorf("the record %q is not known", name)
		}
		if err != nil {
			err = fmt.Errorf("%w: begin anew with --start-over", err)
		}
		return err
	})
	if err == nil {
		err = some.restore(p)
	}
	if err != nil {
		kept.Close()
		return nil, fmt.Errorf("cannot go on from its checkpoint: %w", err)
	}
	p.passedOver(kept.Damage(), h.Saved)
	if !found {
		return kept, nil
	}
	p.position, p.totals = h.Position, h.Totals
	p.miss(h.Missed)
	if p.totals.ByRule == nil {
		p.totals.ByRule = map[string]int64{}
	}
	p.before = p.totals.clone()
	p.mu.Lock()
	p.recent.restore(latest, h.Recent)
	p.mu.Unlock()
	o.Outbox.Restore(p.name, h.Pending)
	p.saver.last, p.saver.owes = h.Saved, true
	p.update(time.Now(), true)
	return kept, nil
}

// passedOver tells that a damaged checkpoint does not count; nil: none.
func (p *part) passedOver(damage error, saved time.Time) {
	if damage == nil {
		return
	}
	text := strings.ReplaceAll(damage.Error(), "\n", "; ")
	from := "where it begins without a checkpoint"
	if !saved.IsZero() {
		from = "the checkpoint of " + saved.Format(time.RFC3339)
	}
	p.log.Error("a checkpoint is damaged; going on from the other one, and what came after that is judged again", zap.String("damage", text), zap.String("from", from))
	p.view.mu.Lock()
	p.view.part.Fallback = fmt.Sprintf("a checkpoint was damaged (%s): judging went on from %s", text, from)
	p.view.mu.Unlock()
}

// restoring is streams that are to be made as they were saved, together.
type restoring struct {
	list []validators.Saved
	size int // bytes
}

const (
	restoreAtOnce      = 1000
	restoreAtOnceBytes = 4 << 20
)

func (r *restoring) add(p *part, stream string, state []byte) error {
	r.list = append(r.list, validators.Saved{Stream: stream, State: slices.Clone(state)})
	if r.size += len(state); len(r.list) < restoreAtOnce && r.size < restoreAtOnceBytes {
		return nil
	}
	return r.restore(p)
}

func (r *restoring) restore(p *part) error {
	if err := p.runner.RestoreAll(r.list); err != nil {
		return err
	}
	if src, ok := p.src.(Resumer); ok {
		for i := range r.list {
			src.Resume(r.list[i].Stream, p.runner.Meta(r.list[i].Stream))
		}
	}
	*r = restoring{list: r.list[:0]}
	return nil
}

// accept reads a head and checks that it can be gone on from.
func (p *part) accept(data []byte, h *head) error {
	if err := json.Unmarshal(data, h); err != nil {
		return fmt.Errorf("its head cannot be read: %w: begin anew with --start-over", err)
	}
	if h.Version != headVersion {
		return fmt.Errorf("it is of version %d, and this tracecheck knows %d: begin anew with --start-over", h.Version, headVersion)
	}
	if now := p.m.opts.Judge.Settings(); h.Settings != now {
		return fmt.Errorf("it was made under other settings (%s; now %s): go on under those, name another checkpoint, or begin anew with --start-over", h.Settings, now)
	}
	if err := h.Of.check(p.identity()); err != nil {
		return err
	}
	p.of = h.Of
	return nil
}

// identity is what the part is of, as far as it is known, or was.
func (p *part) identity() (id Identity) {
	if src, ok := p.src.(Identified); ok {
		id = src.Identity()
	}
	return Identity{cmp.Or(id.Cluster, p.of.Cluster), cmp.Or(id.Topic, p.of.Topic)}
}

// check refuses a checkpoint of something else that has the same name.
func (kept Identity) check(now Identity) error {
	switch {
	case kept.Cluster != "" && now.Cluster != "" && kept.Cluster != now.Cluster:
		return fmt.Errorf("it is of the cluster %s, and this is the cluster %s: name brokers of that cluster, another checkpoint, or begin over with --start-over", kept.Cluster, now.Cluster)
	case kept.Topic != "" && now.Topic != "" && kept.Topic != now.Topic:
		return fmt.Errorf("it is of another topic of that name (its id was %s, and is %s now), which was deleted and created again: begin over with --start-over, or name another checkpoint", kept.Topic, now.Topic)
	}
	return nil
}

// saver writes checkpoints beside the judging, one at a time.
type saver struct {
	mu       sync.Mutex
	busy     bool
	began    time.Time     // the last attempt
	failed   error         // of that
	last     time.Time     // the last checkpoint
	pause    time.Duration // the longest time for which it stopped the judging
	noting   time.Duration // all such times together
	took     time.Duration
	bytes    int
	shown    int       // what the runner said when a checkpoint was last due
	waits    time.Time // since when one waits for snapshots; zero: none does
	owes     bool      // memory that a large checkpoint took
	gaveBack time.Time // when that was last given back
	written  sync.WaitGroup
}

func (s *saver) isDue(now time.Time, every time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.busy && now.Sub(s.began) >= every
}

// save makes a checkpoint of the part, beside the judging.
func (p *part) save(kept checkpoint.Part) {
	s := &p.saver
	began := time.Now()
	s.mu.Lock()
	s.busy, s.began = true, began
	s.mu.Unlock()
	s.written.Go(func() {
		collected := p.whileSaving()
		p.mu.Lock()
		n := p.note(kept.Whole() || p.anew)
		p.anew = false // where it cannot be written, the next is whole, too
		p.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), saveTimeout)
		defer cancel()
		err := kept.Save(ctx, n.change())
		n.end()
		collected()
		s.mu.Lock()
		s.busy, s.failed = false, err
		s.owes = s.owes || n.bytes > largeSave
		if err == nil {
			s.last, s.pause, s.noting, s.took, s.bytes = began, n.longest, n.together, time.Since(began), n.bytes
		}
		s.mu.Unlock()
		s.giveBack(time.Now(), false)
		if err != nil {
			p.log.Error("the checkpoint could not be written; it is tried again", zap.Error(err))
			return
		}
		p.m.hasKept(p.name)
		if src, ok := p.src.(Saver); ok {
			src.Saved(ctx, n.head.Position)
		}
	})
}

// The memory that so many bytes of a checkpoint took, some times as much, is given
// back: at once where no events come, else not so often that it costs much.
const (
	largeSave     = 8 << 20
	giveBackEvery = time.Minute
)

// giveBack gives memory back, if it is time.
func (s *saver) giveBack(now time.Time, idle bool) {
	s.mu.Lock()
	due := s.owes && !s.busy && (idle || now.Sub(s.gaveBack) >= giveBackEvery)
	if due {
		s.owes, s.gaveBack = false, now
	}
	s.mu.Unlock()
	if due {
		debug.FreeOSMemory()
	}
}

// saveTimeout bounds the writing of one checkpoint.
const saveTimeout = time.Minute

// saveLast writes the part's last checkpoint; where it cannot, once more.
func (p *part) saveLast(kept checkpoint.Part) error {
	if kept == nil {
		return nil
	}
	p.saver.written.Wait()
	for range 2 {
		p.save(kept)
		p.saver.written.Wait()
		if p.saver.failed == nil {
			break
		}
	}
	return p.saver.failed
}
