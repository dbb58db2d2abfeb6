package shrink

import (
	"cmp"
	"errors"
	"slices"

	"tracecheck/trace"
	"tracecheck/validators"
)

// The number of steps before the violation that are tried first, and its factor for each
// further attempt.
const (
	fewSteps = 4096
	moreBy   = 16
)

// cut returns a draft with the last steps before the violation, and the state before them.
// The number of steps is a power of two that suffices. A slice has as few as possible.
func (j *jury) cut(source Source, v *validators.Violation, judge *validators.Options) (*draft, error) {
	if err := j.owing(source, v, judge); err != nil {
		return nil, err
	}
	d, err := j.last(source, v, judge)
	if err == ErrNotAgain && !j.opts.KeepGoing {
		// It is not the first violation: it needs the steps that broke a rule before it, or objects
		// that break one in the snapshots.
		j.opts.KeepGoing = true
		return j.last(source, v, judge)
	}
	return d, err
}

// last is cut after owing.
func (j *jury) last(source Source, v *validators.Violation, judge *validators.Options) (*draft, error) {
	most := fewSteps
	if j.lines != nil {
		most = everyStep
	}
	for ; ; most *= moreBy {
		for _, beyond := range []bool{false, true} {
			c := newCollector(j, v, judge, most, beyond)
			if err := c.collect(source); err != nil {
				return nil, err
			}
			m, err := c.meta()
			if err != nil {
				return nil, err
			}
			j.want.object = c.object
			j.want.anyObject = v.Kind == validators.OfLiveness || c.several || c.units[c.broken-1].isSnapshots()
			var reaches bool
			if c.story, reaches = c.findStory(); reaches {
				d := c.least(m)
				if d == nil && j.err == nil && !j.slice {
					c.named = true
					d = c.least(m)
				}
				if d != nil || j.err != nil {
					return d, j.err
				}
			}
			if beyond && (!c.fell || c.count <= most) {
				return nil, ErrNotAgain
			}
		}
	}
}

// collect reads the trace as far as it is needed.
func (c *collector) collect(source Source) error {
	err := source(c.jury.ctx, c.push)
	_, isUnfit := errors.AsType[*trace.Error](err)
	switch {
	case err == nil:
		if err = c.close(); err != nil && err != errFound {
			return err
		}
	case isUnfit && c.broken > 0: // this is after the violation
	case err != errFound:
		return err
	}
	if c.broken < 1 {
		return ErrNotAgain // the trace has changed since
	}
	c.units, c.broken = c.units[c.first:], c.broken-c.first
	return nil
}

// meta returns the settings of the stream. The options override its meta line.
func (c *collector) meta() (meta, error) {
	var given trace.Meta
	if c.given != "" {
		var err error
		if given, err = trace.ParseMeta(&trace.Event{Raw: c.given}); err != nil {
			return meta{}, err
		}
	}
	m := meta{
		none: c.jury.lines != nil,
		spec: c.jury.spec.Name, steps: string(cmp.Or(c.judge.Steps, validators.Steps(given.Steps))),
		profile: cmp.Or(c.judge.Profile, given.Profile), stream: c.stream, initially: c.base.Initially,
	}
	if m.steps == string(validators.Atomic) {
		m.steps = ""
	}
	if m.profile == validators.ProfileSpec || !slices.Contains(validators.ProfileNames([]*validators.Spec{c.jury.spec}), m.profile) {
		m.profile = "" // the text's
	}
	for _, known := range c.jury.spec.Constants {
		if value := cmp.Or(c.judge.Constants[known.Name], given.Constants[known.Name]); value != "" {
			m.constants = append(m.constants, field{name: known.Name, value: value})
		}
	}
	return m, nil
}

// least returns the shortest draft that shows the violation; nil: none does.
func (c *collector) least(m meta) *draft {
	j, end := c.jury, c.broken
	if c.beyond {
		whole := c.draft(m, len(c.units), len(c.units))
		if !j.accepts(whole) {
			return nil
		}
		end = c.broken + lowest(len(c.units)-c.broken, func(n int) bool { return j.accepts(c.draft(m, c.broken+n, c.broken+n)) })
	}
	for n := end - c.broken + 1; ; n *= 2 {
		n = min(n, end)
		if d := c.draft(m, n, end); j.accepts(d) {
			if !j.slice || n == 1 {
				return d
			}
			fewer := n/2 + 1 + lowest(n-n/2-1, func(k int) bool { return j.accepts(c.draft(m, n/2+1+k, end)) })
			return c.draft(m, fewer, end)
		}
		if n == end || j.err != nil {
			return nil
		}
	}
}

// lowest returns the least n up to most for which is returns true. is must be monotonic, and
// true for most.
func lowest(most int, is func(n int) bool) int {
	low := 0
	for low < most {
		if mid := (low + most) / 2; is(mid) {
			most = mid
		} else {
			low = mid + 1
		}
	}
	return low
}

// draft returns the last n units before end, and the state before them.
func (c *collector) draft(m meta, n, end int) *draft {
	units := c.units[end-n : end]
	if !m.none && (!c.whole || n < end) {
		state := c.base.Clone()
		for _, u := range c.units[:end-n] {
			for _, l := range u.lines {
				state.Apply(&l.event)
			}
		}
		units = slices.Concat(beginning(state), units)
	}
	d := &draft{m, units, c.story}
	if !c.jury.slice {
		if d = d.apart(); !c.named {
			for _, u := range d.units {
				u.tx = ""
			}
		}
	}
	return d
}
