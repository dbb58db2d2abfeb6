package sources

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/tidwall/gjson"
	"go.uber.org/zap"

	"tracecheck/ingest"
	"tracecheck/ingest/swarm"
	"tracecheck/monitor"
	"tracecheck/trace"
)

// Swarm reads the changes of a live swarm, as one part.
type Swarm struct{ part swarmPart }

// OpenSwarm prepares to read from a manager's control socket; "" is
// swarm.DefaultSocket. stream is the name of the stream.
func OpenSwarm(socket, stream string, log *zap.Logger) *Swarm {
	socket = cmp.Or(socket, swarm.DefaultSocket)
	log = cmp.Or(log, zap.NewNop())
	s := &Swarm{swarmPart{opts: swarm.Options{Socket: socket, Stream: stream, Log: log}, patience: defaultPatience}}
	s.part.opts.Answered = func() { now := time.Now(); s.part.heard.Store(&now) }
	return s
}

// Run implements monitor.Source.
func (s *Swarm) Run(ctx context.Context, judge func(context.Context, monitor.Part) error) error {
	return run(ctx, []monitor.Part{&s.part}, judge)
}

type swarmPart struct {
	opts     swarm.Options
	patience patience
	heard    atomic.Pointer[time.Time] // nil: not yet
}

// Name is "swarm:" and the socket.
func (p *swarmPart) Name() string { return "swarm:" + p.opts.Socket }

// Report has no lag: it is unknown.
func (p *swarmPart) Report(at monitor.Position) monitor.Report {
	r := monitor.Report{Lag: -1, Unit: "events", Place: swarm.Describe(string(at))}
	if at := p.heard.Load(); at != nil {
		r.Answered = *at
	}
	return r
}

// Follow resumes from the position, after a gap if that is impossible. It waits
// for a manager that is unavailable.
func (p *swarmPart) Follow(ctx context.Context, from monitor.Position, take func(*monitor.Batch) error) error {
	log := p.opts.Log.With(zap.String("socket", p.opts.Socket))
	return p.patience.again(ctx, log, from, take, func(ctx context.Context, from monitor.Position, take func(*monitor.Batch) error) (bool, error) {
		opts := p.opts
		opts.From = string(from)
		source, err := swarm.Open(ctx, opts)
		if err != nil {
			return errors.Is(err, swarm.ErrPosition), err
		}
		lines := swarmLines{file: opts.Socket, stream: opts.Stream}
		return false, source.Run(ctx, func(b swarm.Batch) error {
			var meta []byte
			if b.Snapshot && !bytes.HasPrefix(b.Lines, source.Meta()) {
				meta = source.Meta()
			}
			lines.decode(meta, b.Lines)
			return take(&monitor.Batch{
				Events: lines.events, Bad: lines.bad, Next: monitor.Position(source.Position()), Lag: -1, Unit: "events",
			})
		})
	})
}

// swarmLines decodes a recording's lines. Their line number is seq. A meta line
// has the number of the line before its successor. So a line has the same
// number in each run.
type swarmLines struct {
	file    string
	stream  string
	decoder trace.Decoder
	events  []trace.Event
	bad     []ingest.Malformed // lines with a name that is not UTF-8
}

// decode sets the events. They are valid until the next call, and while the
// lines are.
func (l *swarmLines) decode(meta, lines []byte) {
	l.decoder.Reset()
	l.events, l.bad = l.events[:0], l.bad[:0]
	for _, text := range [][]byte{meta, lines} {
		for line := range bytes.Lines(text) {
			n := len(l.events)
			l.events = append(l.events, trace.Event{})
			ev := &l.events[n]
			line = bytes.TrimSuffix(line, []byte{'\n'})
			if err, ok := l.decoder.Decode(line, trace.Pos{File: l.file}, ev).(*trace.Error); ok {
				err.Pos.Line = int(gjson.GetBytes(line, "seq").Int()) + 1
				l.events = l.events[:n]
				l.bad = append(l.bad, ingest.Malformed{Before: n, Streams: []string{l.stream}, Err: err, Raw: bytes.Clone(line)})
				continue
			}
			ev.Pos.Line = int(ev.Seq) + 1
			if n > 0 && !l.events[n-1].HasSeq {
				l.events[n-1].Pos.Line = int(ev.Seq)
			}
		}
	}
}
