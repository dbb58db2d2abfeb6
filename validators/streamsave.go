package validators

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"tracecheck/trace"
	"tracecheck/trace/codec"
)

// saveVersion is that of what Save writes. It rises when that changes, here or
// in a machine: what another version wrote is not read.
const saveVersion = 7

// Settings names what a stream's state depends on beside its events: what was
// saved under other settings is not gone on from.
func (o *Options) Settings() string {
	var b strings.Builder
	fmt.Fprintf(&b, "state %d; spec %s; steps %s; profile %s; attach %t; keep going %t",
		saveVersion, strings.Join(o.Select, ","), o.Steps, o.Profile, o.Attach, o.KeepGoing)
	for _, name := range slices.Sorted(maps.Keys(o.Constants)) {
		fmt.Fprintf(&b, "; %s=%s", name, o.Constants[name])
	}
	return b.String()
}

// Restore makes a stream that had no event yet as it was saved: the same events
// then lead to the same result, but for the coverage, which is of one Runner's
// steps. An error means that it could not, and that the Runner is of no use any
// more.
func (r *Runner) Restore(name string, state []byte) error {
	return r.RestoreAll([]Saved{{name, state}})
}

// Saved is a stream's state.
type Saved struct {
	Stream string
	State  []byte
}

// RestoreAll is Restore of several streams, by all shards at once.
func (r *Runner) RestoreAll(list []Saved) error {
	errs, firsts := make([]error, len(list)), make([]int, len(r.shards))
	restore := func(sh *shard) {
		for i := range list {
			if of := &list[i]; r.shardOf(of.Stream) == sh {
				s := sh.named(of.Stream)
				c := codec.Reader(of.State)
				s.code(c)
				if err := c.Close(); err != nil {
					errs[i] = fmt.Errorf("the saved state of %s cannot be read: %w; use --start-over", trace.StreamName(of.Stream), err)
				}
				firsts[sh.number] = max(firsts[sh.number], s.first)
			}
		}
	}
	var others sync.WaitGroup
	for i := range r.shards[1:] {
		others.Go(func() { restore(&r.shards[i+1]) })
	}
	restore(&r.shards[0])
	others.Wait()
	r.before = max(r.before, slices.Max(firsts))
	return cmp.Or(errs...)
}

// Meta is the meta line by which the stream is judged; "": none.
func (r *Runner) Meta(name string) string {
	if s := r.shardOf(name).streams[name]; s != nil {
		return s.meta
	}
	return ""
}

// code writes down the stream, or makes it again.
func (s *stream) code(c *codec.Codec) {
	codec.Int(c, &s.first)
	s.seq.Code(c)
	codec.Bool(c, &s.began)
	codec.Bool(c, &s.over)
	codec.Int(c, &s.clock)
	codec.Int(c, &s.recording)
	codec.Int(c, &s.lines)
	codec.Bool(c, &s.reached)
	codec.Int(c, &s.events)
	codec.Int(c, &s.broken)
	codec.String(c, &s.unusable)
	s.codeRun(c)
	codec.String(c, &s.meta)
	ready := s.ready && !s.unfit
	if codec.Bool(c, &ready); c.Reading() && ready && c.Err() == nil {
		if err := s.reconfigure(); err != nil {
			c.Fail("%s", err)
		}
	}
	s.prepared.Code(c)
	s.read.Code(c)
	codec.Slice(c, &s.judges, func(j **judge) { *j = s.codeJudge(c, *j) })
}

// codeRun is the run of snapshots at hand, of no line where there is none.
func (s *stream) codeRun(c *codec.Codec) {
	var run snapshots
	if s.shown != nil {
		run = *s.shown
	}
	run.first.Code(c)
	run.last.Code(c)
	time := string(run.time)
	codec.String(c, &time)
	if c.Reading() && run.first.Line > 0 {
		run.time, s.shown = []byte(time), &run
	}
}

// reconfigure settles how the stream is judged as its meta line did.
func (s *stream) reconfigure() error {
	var m trace.Meta
	if s.meta != "" {
		var d trace.Decoder
		var ev trace.Event
		if err := d.Decode([]byte(s.meta), trace.Pos{}, &ev); err != nil {
			return err
		}
		var err error
		if m, err = trace.ParseMeta(&ev); err != nil {
			return err
		}
	}
	return s.configure(&m, trace.Pos{})
}

func (s *stream) codeJudge(c *codec.Codec, j *judge) *judge {
	name := ""
	if !c.Reading() {
		name = j.spec.Name
	}
	if c.Name(&name); c.Reading() {
		specs, err := s.shard.run.specs([]string{name})
		if err != nil || c.Err() != nil {
			c.Fail("the spec %q is not known", name)
			return &judge{}
		}
		if j, err = s.newJudge(specs[0]); err != nil {
			c.Fail("%s", err)
			return &judge{}
		}
	}
	s.codeJudgement(c, j)
	return j
}

// codeJudgement is what the judge has come to.
func (s *stream) codeJudgement(c *codec.Codec, j *judge) {
	codec.Bool(c, &j.judged)
	codec.Bool(c, &j.provisional)
	codec.Bool(c, &j.desired)
	j.since.Code(c)
	codec.String(c, &j.sinceTime)
	j.uses.code(c)
	codeMap(c, &j.forfeited, func(at *Stamp) {
		at.Pos.Code(c)
		codec.Int(c, &at.nanos)
	})
	j.codeTrial(c)
	alive := j.machine != nil
	if codec.Bool(c, &alive); !alive {
		j.machine = nil
		return
	}
	parts := c.Parts()
	j.machine.Persist(c)
	j.ledger.persist(c, c.Parts() > parts)
}

// codeTrial writes what the judge may not say yet, or makes it again.
func (j *judge) codeTrial(c *codec.Codec) {
	var t trial
	if j.trial != nil {
		t = *j.trial
	}
	codec.Slice(c, &t.withheld, func(v *Violation) { v.code(c) })
	var e trace.Error // which an error is
	if known, ok := t.failed.(*trace.Error); ok {
		e = *known
	}
	e.Code(c)
	if !c.Reading() {
		return
	}
	if e.Reason != "" {
		t.failed = &e
	}
	if j.trial = nil; t.failed != nil || len(t.withheld) > 0 {
		j.trial = &t
	}
}

func (u *Uses) code(c *codec.Codec) { codeMap(c, &u.counts, func(n *int) { codec.Int(c, n) }) }

// codeMap writes a map in the order of its keys, or makes it again; an empty
// one is nil.
func codeMap[V any](c *codec.Codec, m *map[string]V, value func(*V)) {
	if !c.Reading() {
		c.Len(len(*m))
		for _, k := range slices.Sorted(maps.Keys(*m)) {
			v := (*m)[k]
			c.Name(&k)
			value(&v)
		}
		return
	}
	*m = nil
	for range c.Len(0) {
		var k string
		var v V
		c.Name(&k)
		if value(&v); c.Err() != nil {
			return
		}
		if *m == nil {
			*m = map[string]V{}
		}
		(*m)[k] = v
	}
}
