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
	"tracecheck/monitor/board"
	"tracecheck/monitor/checkpoint"
	"tracecheck/trace"
	"tracecheck/validators"
)

// head is a checkpoint without the streams' states.
type head struct {
	Version  int             `json:"version"`
	Settings string          `json:"settings"`
	Of       Identity        `json:"of,omitzero"`
	Position Position        `json:"position"`
	Missed   *trace.Error    `json:"missed,omitempty"`
	Totals   totals          `json:"totals"`
	Pending  []alert.Pending `json:"pending,omitempty"`
	Recent   int             `json:"recent"` // number of violations
	Saved    time.Time       `json:"saved"`

	Acked []board.Acknowledgement `json:"acknowledged,omitempty"`
}

const headVersion = 1

// The names of records: a stream's state, or one of the latest violations.
const (
	streamRecord    = "s"
	violationRecord = "v"
)

// load takes the part over. It returns nil if there is no store.
func (p *part) load(ctx context.Context) (checkpoint.Part, error) {
	o := &p.m.opts
	if o.Store == nil {
		return nil, nil
	}
	kept, err := o.Store.Open(ctx, p.name)
	if err != nil {
		return nil, fmt.Errorf("cannot read its checkpoint: %w", err)
	}
	if p.m.startsOver(p.name) {
		p.discard = true
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
			err = fmt.Errorf("it has an unknown record %q", name)
		}
		if err != nil {
			err = fmt.Errorf("%w: discard it with --start-over", err)
		}
		return err
	})
	if err == nil {
		err = some.restore(p)
	}
	if err != nil {
		kept.Close()
		return nil, fmt.Errorf("cannot resume from its checkpoint: %w", err)
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
	for _, k := range h.Acked {
		p.acked.add(k)
	}
	p.mu.Unlock()
	o.Outbox.Restore(p.name, h.Pending)
	p.saver.last, p.saver.owes = h.Saved, true
	p.update(time.Now(), true)
	return kept, nil
}

// passedOver logs that a damaged checkpoint was skipped; nil: none was.
func (p *part) passedOver(damage error, saved time.Time) {
	if damage == nil {
		return
	}
	text := strings.ReplaceAll(damage.Error(), "\n", "; ")
	from := "where it begins without a checkpoint"
	if !saved.IsZero() {
		from = "the checkpoint of " + saved.Format(time.RFC3339)
	}
	p.log.Error("a checkpoint is damaged: resuming from the previous one, and judging later events again", zap.String("damage", text), zap.String("from", from))
	p.view.mu.Lock()
	p.view.part.Fallback = fmt.Sprintf("a checkpoint was damaged (%s): judging resumed from %s", text, from)
	p.view.mu.Unlock()
}

// restoring is a group of saved streams that are restored together.
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

// accept decodes a head, and checks that judging can resume from it.
func (p *part) accept(data []byte, h *head) error {
	if err := json.Unmarshal(data, h); err != nil {
		return fmt.Errorf("cannot read its head: %w: discard it with --start-over", err)
	}
	if h.Version != headVersion {
		return fmt.Errorf("it has version %d, but this tracecheck reads version %d: discard it with --start-over", h.Version, headVersion)
	}
	if now := p.m.opts.Judge.Settings(); h.Settings != now {
		return fmt.Errorf("it was made under other settings (%s): restore those settings, name another checkpoint, or discard it with --start-over", validators.Unlike(h.Settings, now))
	}
	if err := h.Of.check(p.identity()); err != nil {
		return err
	}
	p.of = h.Of
	return nil
}

// identity is the part's source, as far as it is or was known.
func (p *part) identity() (id Identity) {
	if src, ok := p.src.(Identified); ok {
		id = src.Identity()
	}
	return Identity{cmp.Or(id.Cluster, p.of.Cluster), cmp.Or(id.Topic, p.of.Topic)}
}

// check rejects a checkpoint of another source with the same name.
func (kept Identity) check(now Identity) error {
	switch {
	case kept.Cluster != "" && now.Cluster != "" && kept.Cluster != now.Cluster:
		return fmt.Errorf("it belongs to the cluster %s, but this is the cluster %s: name brokers of that cluster, name another checkpoint, or discard it with --start-over", kept.Cluster, now.Cluster)
	case kept.Topic != "" && now.Topic != "" && kept.Topic != now.Topic:
		return fmt.Errorf("it belongs to another topic of that name: the topic was deleted and recreated (its id was %s, and is %s now). Discard it with --start-over, or name another checkpoint", kept.Topic, now.Topic)
	}
	return nil
}

// saver writes checkpoints while the part is judged, one at a time.
type saver struct {
	mu       sync.Mutex
	busy     bool
	hurried  bool          // while one was written: the next one begins at once
	began    time.Time     // the start of the last attempt
	failed   error         // its error
	last     time.Time     // the last checkpoint
	pause    time.Duration // the longest pause of judging for it
	noting   time.Duration // the sum of its pauses
	took     time.Duration
	bytes    int
	shown    int       // the runner's count when a checkpoint was last due
	waits    time.Time // since when a checkpoint waits for snapshots; zero: none does
	owes     bool      // a large checkpoint's memory is to be freed
	gaveBack time.Time // when memory was last freed
	written  sync.WaitGroup
}

// hurry has the next checkpoint begin as soon as it may.
func (s *saver) hurry() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.began = time.Time{}
	s.hurried = s.busy
}

func (s *saver) isDue(now time.Time, every time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.busy && (s.hurried || now.Sub(s.began) >= every)
}

// save writes a checkpoint while the part is judged.
func (p *part) save(kept checkpoint.Part) {
	s := &p.saver
	began := time.Now()
	s.mu.Lock()
	s.busy, s.began, s.hurried = true, began, false
	s.mu.Unlock()
	s.written.Go(func() {
		collected := p.whileSaving()
		p.mu.Lock()
		n := p.note(kept.Whole() || p.discard)
		p.discard = false // if writing fails, the next one is whole, too
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
			p.log.Error("cannot write the checkpoint; retrying", zap.Error(err))
			return
		}
		p.m.hasKept(p.name)
		if src, ok := p.src.(Saver); ok {
			src.Saved(ctx, n.head.Position)
		}
	})
}

// After a large checkpoint, a multiple of its size is returned to the system.
// This happens at once if no events come, otherwise rarely, since it is costly.
const (
	largeSave     = 8 << 20
	giveBackEvery = time.Minute
)

// giveBack returns memory to the system, if it is time.
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

// saveLast writes the part's last checkpoint. It tries twice.
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
