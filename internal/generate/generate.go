// Package generate makes random traces of the specs from a seed. Each step is an action of
// its spec; on request, one step breaks a rule.
package generate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"tracecheck/internal/generate/kcpstorage"
	"tracecheck/internal/generate/portallocator"
	"tracecheck/internal/generate/swarmkit"
	"tracecheck/internal/generate/updatecluster"
	"tracecheck/internal/generate/walk"
	"tracecheck/internal/generate/workerimpl"
	"tracecheck/internal/nearest"
)

// Options say which trace is made. The same options make the same bytes.
type Options struct {
	Specs     []string          // at least one; several share each stream, if they share no kind
	Events    int64             // lines, those of meta not counted; at least 1
	Seed      uint64            // what happens
	Streams   int               // at least 1
	Objects   int               // live objects of a stream, at least 1
	Snapshot  bool              // streams begin with so many objects, in snapshot lines
	Batch     int               // actions of a step at most; 0: steps are atomic
	NoClaims  bool              // leave out which action a line is of
	Start     time.Time         // of the first step
	Interval  time.Duration     // between two steps, from 0
	Constants map[string]string // raw JSON by name, valid for the specs
	Violate   string            // the rule to break; "": none
	At        int64             // the event from which on to break it; 0: near the end
}

// all are the specs that there are.
func all() []*walk.Spec {
	return []*walk.Spec{swarmkit.Spec, workerimpl.Spec, portallocator.Spec, updatecluster.Spec, kcpstorage.Spec}
}

// SpecNames are the names that Options.Specs may have.
func SpecNames() []string {
	var names []string
	for _, s := range all() {
		names = append(names, s.Name)
	}
	return names
}

// Broken is what was done to break a rule.
type Broken struct {
	Rule string
	Line int64  // of the output, from 1: where the rule is broken, or shown to be
	What string // in words
	// Deadline is how long something has been left waiting at Line; 0: the
	// rule is not of that kind.
	Deadline time.Duration
}

// blockSize is how much is written at a time, in bytes.
const blockSize = 256 << 10

// Run writes the trace, in whole lines. What it says it broke is nil where nothing was to be
// broken. An error is of the options, of the writer, or of a context that ended; or the rule
// could not be broken. What was written before it is right.
func Run(ctx context.Context, o Options, out io.Writer) (*Broken, error) {
	g, err := newGenerator(o)
	if err != nil {
		return nil, err
	}
	for g.left > 0 {
		for g.left > 0 && len(g.out) < blockSize {
			g.next()
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("interrupted: the trace has %d of its %d events", o.Events-g.left, o.Events)
		}
		if _, err := out.Write(g.out); err != nil {
			return nil, err
		}
		g.out = g.out[:0]
	}
	return g.broken()
}

func newGenerator(o Options) (*generator, error) {
	specs, err := choose(o.Specs)
	if err != nil {
		return nil, err
	}
	if err := o.checkTimes(); err != nil {
		return nil, err
	}
	g := &generator{Options: o, chance: walk.NewRand(o.Seed, 0), left: o.Events}
	if o.Violate != "" {
		if err := g.plan(specs); err != nil {
			return nil, err
		}
	}
	opening := 0
	for i := range o.Streams {
		st := &stream{}
		if o.Streams > 1 {
			st.name = fmt.Sprintf("s%04d", i+1)
		}
		for k, spec := range specs {
			w := spec.New(walk.Config{
				Rand:    walk.NewRand(o.Seed, uint64(1+i*len(specs)+k)),
				Objects: o.Objects, Snapshot: o.Snapshot, Constants: o.Constants, Stream: i,
			})
			opening += w.Opening()
			st.walks = append(st.walks, w)
			st.openings = append(st.openings, w.Opening())
		}
		g.streams = append(g.streams, st)
		g.meta(st, specs)
	}
	if int64(opening) >= o.Events {
		return nil, fmt.Errorf("the trace begins with %d lines that show its objects, and --events asks for %d lines: it would have no step; ask for more events or fewer objects", opening, o.Events)
	}
	return g, nil
}

// checkTimes says whether every event has a time that RFC 3339 can write.
func (o *Options) checkTimes() error {
	last := time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)
	if left := last.Sub(o.Start); left < 0 || o.Interval > left/time.Duration(o.Events) {
		return fmt.Errorf("%d steps every %s, from %s on, end too late: times end with the year 9999, and span less than 292 years", o.Events, o.Interval, o.Start.Format(time.RFC3339))
	}
	return nil
}

// choose finds the specs. Several may share a stream where no line is read by
// two of them.
func choose(names []string) ([]*walk.Spec, error) {
	var specs []*walk.Spec
	for _, name := range names {
		i := slices.IndexFunc(all(), func(s *walk.Spec) bool { return s.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("unknown spec %q: this version has %s%s", name,
				strings.Join(SpecNames(), ", "), nearest.Hint(name, SpecNames()))
		}
		s := all()[i]
		for _, other := range specs {
			if other == s {
				return nil, fmt.Errorf("the spec %s is given twice", name)
			}
			for _, k := range s.Kinds {
				if slices.Contains(other.Kinds, k) {
					return nil, fmt.Errorf("%s and %s both have events of kind %s: they cannot share a stream; generate them apart", other.Name, s.Name, k)
				}
			}
		}
		specs = append(specs, s)
	}
	if len(specs) == 0 {
		return nil, errors.New("no spec: expected one of " + strings.Join(SpecNames(), ", "))
	}
	return specs, nil
}
