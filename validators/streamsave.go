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

// saveVersion is the version of the format of Save. Increase it when the format
// changes, here or in a machine. Other versions are not read.
const saveVersion = 18

// Settings describes what a stream's state depends on besides its events. A
// state that was saved under other settings is not restored.
func (o *Options) Settings() string {
	var b strings.Builder
	fmt.Fprintf(&b, "state %d; spec %s; steps %s; profile %s; attach %t; keep going %t",
		saveVersion, strings.Join(o.Select, ","), o.Steps, o.Profile, o.Attach, o.KeepGoing)
	for _, name := range slices.Sorted(maps.Keys(o.Constants)) {
		fmt.Fprintf(&b, "%s%s=%s", settingsSep, name, o.Constants[name])
	}
	for _, s := range o.Specs {
		for _, text := range s.Sources {
			b.WriteString(settingsSep + text)
		}
	}
	return b.String()
}

// settingsSep separates the settings.
const settingsSep = "; "

// Unlike returns the differences of two results of Settings, in the form "was …; now …".
func Unlike(was, now string) string {
	before, after := strings.Split(was, settingsSep), strings.Split(now, settingsSep)
	only := func(of, other []string) string {
		var list []string
		for _, part := range of {
			if !slices.Contains(other, part) {
				if strings.HasSuffix(part, " ") {
					part += "not set"
				}
				list = append(list, part)
			}
		}
		if len(list) == 0 {
			return "nothing of the kind"
		}
		return strings.Join(list, settingsSep)
	}
	return only(before, after) + settingsSep + "now " + only(after, before)
}

// Restore restores a saved stream that had no event yet. The same events then
// give the same result, except for the coverage, which counts this Runner's
// steps only. After an error the Runner is unusable.
func (r *Runner) Restore(name string, state []byte) error {
	return r.RestoreAll([]Saved{{name, state}})
}

// Saved is a stream's state.
type Saved struct {
	Stream string
	State  []byte
}

// RestoreAll restores several streams, by all shards in parallel.
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

// Meta returns the meta line of the stream, "" if it has none.
func (r *Runner) Meta(name string) string {
	if s := r.stream(name); s != nil {
		return s.meta
	}
	return ""
}

// code encodes or decodes the stream.
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
	s.codeOrder(c)
}

// codeRun encodes or decodes the current run of snapshots, or an empty one.
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

// reconfigure restores the settings from the meta line.
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
			c.Fail("unknown spec %q", name)
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

// codeJudgement encodes or decodes the state of the judge.
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
	j.ledger.Persist(c, c.Parts() > parts)
}

// codeTrial encodes or decodes what the judge withholds.
func (j *judge) codeTrial(c *codec.Codec) {
	var t trial
	if j.trial != nil {
		t = *j.trial
	}
	codec.Slice(c, &t.withheld, func(v *Violation) { v.code(c) })
	var e trace.Error // the concrete type of the error
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

// codeMap encodes or decodes a map in the order of its keys. An empty map
// becomes nil.
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
