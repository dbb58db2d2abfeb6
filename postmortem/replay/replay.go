// Package replay computes the objects of a trace's streams at a point of the trace. It
// also writes them as the beginning of another trace. It judges
// nothing.
package replay

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tracecheck/trace"
	"tracecheck/validators"
)

// Options set what is replayed. The zero value means the whole trace.
type Options struct {
	At     Point
	Stream string // only this stream, if Only is set
	Only   bool
	OnGap  trace.OnGap

	Initially map[trace.Kind]string // as in Stream

	Remember int // the number of a stream's last numbered lines that a duplicate is compared with; 0: trace.DefaultRemember

	Reordered bool // the lines of a file are not in the order of their numbers

	// Machine returns a machine that computes the objects of a stream, if the lines do
	// not show them. nil: the lines show them.
	Machine func() (validators.Machine, error)

	// OnStep, unless nil, is called for each step before it is applied. The step is
	// valid until OnStep returns.
	OnStep func(*Stream, *trace.Step)
}

// ErrDone ends a replay before its input does: the point has passed in every
// stream.
var ErrDone = errors.New("the point has passed")

// Replay follows a trace up to a point.
type Replay struct {
	opts    Options
	streams map[string]*follower
	order   []*Stream // by first appearance
	open    []*follower
	going   int       // streams that the point has not passed
	passed  bool      // the point, for streams that begin later too
	found   bool      // the line or the seq of the point
	last    trace.Pos // of the trace
}

// follower replays one stream. It is the trace.Sink of its own sequencer.
type follower struct {
	Stream
	machine validators.Machine // nil: the lines show the objects
	onStep  func(*Stream, *trace.Step)
	seq     trace.Sequencer
	latest  trace.Event // of the open step; it refers to the caller's bytes while open is set
	open    bool        // in Replay.open
	over    bool        // the point has passed
}

// New returns a replay at the start of a trace.
func New(opts Options) *Replay {
	return &Replay{opts: opts, streams: map[string]*follower{}}
}

// Push takes the next events, in order, and keeps no reference to them. ErrDone means that
// further events would change nothing. A *trace.Error means that a stream has a gap. Any other
// error means that the trace does not have the point.
func (r *Replay) Push(events []trace.Event) error {
	for i := range events {
		if err := r.take(&events[i]); err != nil {
			return err
		}
	}
	for _, f := range r.open {
		if f.open = false; f.seq.Pending() {
			f.seq.Own()
			f.latest = f.latest.Clone()
		}
	}
	r.open = r.open[:0]
	return nil
}

// Feed gives the replays the events of a trace, until they need no more, and finishes them.
// each calls push with the events, in order.
func Feed(each func(push func([]trace.Event) error) error, replays []*Replay) error {
	going := slices.Clone(replays)
	err := each(func(events []trace.Event) (err error) {
		going = slices.DeleteFunc(going, func(r *Replay) bool {
			pushed := r.Push(events)
			done := errors.Is(pushed, ErrDone)
			if !done {
				err = cmp.Or(err, pushed)
			}
			return done
		})
		if len(going) == 0 {
			return ErrDone
		}
		return err
	})
	if err != nil && !errors.Is(err, ErrDone) {
		return err
	}
	for _, r := range replays {
		if err := r.Finish(); err != nil {
			return err
		}
	}
	return nil
}

// Finish applies the steps that are still open. An error means that the trace does not have
// the point, or the stream.
func (r *Replay) Finish() error {
	for _, f := range r.streams {
		if err := f.end(); err != nil {
			return err
		}
		f.take()
	}
	p := r.opts.At
	switch {
	case r.found:
	case p.what == byLine && r.last.Line == 0:
		return fmt.Errorf("the trace has no line %s: it has no events", p)
	case p.what == byLine:
		return fmt.Errorf("the trace has no line %s: its last event there is at %s", p, r.last)
	case p.what == bySeq && len(r.order) == 1 && r.order[0].HasSeq:
		return fmt.Errorf("%s has no event with %s: it ends with seq %d", trace.StreamName(r.order[0].Name), p, r.order[0].Seq)
	case p.what == bySeq:
		return fmt.Errorf("the trace has no event with %s", p)
	case p.what == byTime && len(r.order) > 0:
		return fmt.Errorf("no event there has a time, so none is known to be after %s: name LINE or seq:N", p)
	}
	if r.opts.Only && len(r.order) == 0 {
		return fmt.Errorf("the trace has nothing of %s up to %s", trace.StreamName(r.opts.Stream), p)
	}
	return nil
}

// Streams returns the streams, in the order of their first events.
func (r *Replay) Streams() []*Stream { return r.order }

func (r *Replay) take(ev *trace.Event) error {
	r.look(ev)
	if r.opts.Only && ev.Stream != r.opts.Stream {
		return r.done()
	}
	r.found = r.found || r.opts.At.what == byTime && ev.Time != ""
	f, err := r.stream(ev)
	if f == nil || f.over {
		return cmp.Or(err, r.done())
	}
	if r.beyond(ev) && !f.continues(ev) {
		if f.seq.Undecided() && !ev.HasSeq && (ev.Op == trace.OpSnapshot || ev.Kind == trace.KindMeta) {
			return nil // the next event decides about the meta line before the point
		}
		if err := f.seq.Decide(ev, f); err != nil {
			return err
		}
		f.over = true
		r.going--
		return cmp.Or(f.end(), r.done())
	}
	if r.opts.At.what == bySeq && ev.HasSeq && ev.Seq == r.opts.At.seq {
		r.found = true
	}
	if err := f.seq.Push(ev, f); err != nil {
		return err
	}
	if f.seq.Pending() {
		f.latest = *ev
		if !f.open {
			f.open = true
			r.open = append(r.open, f)
		}
	}
	return nil
}

// look finds the point's line. The trace is read file by file.
func (r *Replay) look(ev *trace.Event) {
	if p := &r.opts.At; p.what == byLine && !r.passed {
		if r.opts.Reordered {
			r.passed = r.found
			r.found = r.found || ev.Pos == p.pos
			r.last = trace.Pos{File: strings.Clone(ev.Pos.File), Line: ev.Pos.Line}
			return
		}
		here := ev.Pos.File == p.pos.File
		r.found = r.found || here && ev.Pos.Line >= p.pos.Line
		r.passed = here && ev.Pos.Line > p.pos.Line || !here && r.last.File == p.pos.File && r.last.Line > 0
		if r.passed {
			return
		}
		if r.last.File != ev.Pos.File {
			r.last.File = strings.Clone(ev.Pos.File)
		}
		r.last.Line = ev.Pos.Line
	}
}

func (r *Replay) stream(ev *trace.Event) (*follower, error) {
	f := r.streams[ev.Stream]
	if f != nil || r.passed {
		return f, nil
	}
	if r.opts.At.what == bySeq && len(r.order) > 0 {
		return nil, fmt.Errorf("%s is ambiguous in a trace of several streams, such as %q and %q: choose one with --stream",
			r.opts.At, r.order[0].Name, ev.Stream)
	}
	f = &follower{Stream: Stream{Name: strings.Clone(ev.Stream), Initially: r.opts.Initially}, onStep: r.opts.OnStep}
	f.seq.OnGap, f.seq.Remember = r.opts.OnGap, r.opts.Remember
	if r.opts.Machine != nil {
		var err error
		if f.machine, err = r.opts.Machine(); err != nil {
			return nil, err
		}
	}
	r.streams[f.Name] = f
	if r.opts.At.what == byTime && r.beyond(ev) { // the stream begins after the point
		f.over = true
		return f, nil
	}
	r.order = append(r.order, &f.Stream)
	r.going++
	return f, nil
}

// beyond reports whether the event comes after the point.
func (r *Replay) beyond(ev *trace.Event) bool {
	switch p := &r.opts.At; p.what {
	case byLine:
		return r.passed
	case bySeq:
		return r.found || ev.HasSeq && ev.Seq > p.seq
	case byTime:
		return ev.Time != "" && ev.Nanos > p.time
	}
	return false
}

// done returns ErrDone once no further event matters.
func (r *Replay) done() error {
	alone := r.opts.Only || r.opts.At.what == bySeq
	if r.going == 0 && (r.passed || alone && len(r.order) > 0) {
		return ErrDone
	}
	return nil
}

// continues reports whether the event belongs to the open step.
func (f *follower) continues(ev *trace.Event) bool {
	return f.seq.Pending() && ev.Tx == f.latest.Tx && ev.Op != trace.OpSnapshot && ev.Kind != trace.KindMeta
}

func (f *follower) end() error { return f.seq.Close(f) }

// Meta implements trace.Sink.
func (f *follower) Meta(ev *trace.Event) error {
	f.note(ev)
	f.Stream.Meta = strings.Clone(ev.Raw)
	return nil
}

// Begin implements trace.Sink.
func (f *follower) Begin() error {
	f.Stream = Stream{Name: f.Stream.Name}
	if f.machine != nil {
		f.machine.Lost()
	}
	return nil
}

// Snapshot implements trace.Sink.
func (f *follower) Snapshot(ev *trace.Event) error {
	if f.machine != nil {
		f.note(ev)
		f.machine.Snapshot(ev)
		return nil
	}
	f.Apply(ev)
	return nil
}

// SnapshotsEnd implements trace.Sink.
func (f *follower) SnapshotsEnd() error {
	if f.machine != nil {
		f.machine.SnapshotsEnd()
	}
	return nil
}

// Step implements trace.Sink.
func (f *follower) Step(step *trace.Step) error {
	if f.onStep != nil {
		f.onStep(&f.Stream, step)
	}
	f.Steps++
	if f.machine != nil {
		return f.follow(step)
	}
	for i := range step.Events {
		f.Apply(&step.Events[i])
	}
	return nil
}
