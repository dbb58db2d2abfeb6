// Package incident makes a document about a violation, for an issue tracker. It has the
// verdict, the cause, the changed objects and a timeline. A short trace shows the violation,
// and commands reproduce it. It judges nothing itself.
package incident

import (
	"context"
	"errors"

	"tracecheck/ingest"
	"tracecheck/postmortem/explain"
	"tracecheck/postmortem/past"
	"tracecheck/postmortem/shrink"
	"tracecheck/report"
	"tracecheck/trace"
	"tracecheck/validators"
)

// Options set how the trace is judged, and what the document names.
type Options struct {
	Judge validators.Options
	Line  trace.Pos // the step of this line; the zero Line: the first violating one

	Files   string       // the trace's files, quoted for a shell
	Flags   string       // the flags of the command, with a space before each
	Beside  shrink.Given // the ones of Flags that a meta line cannot have
	Version string       // of the program
	About   []string     // the program and its versions

	Lines func() ingest.LineDecoder // returns a decoder for the lines; nil: they have format 1

	Judged func(*validators.Result) // called after the first reading, unless nil
}

// Incident has the contents of a document about one violating step.
type Incident struct {
	opts    Options
	Result  *validators.Result // of the whole trace
	account *explain.Account   // nil: the trace conforms, or was not judged
	slice   *shrink.Result     // nil: noSlice is the reason
	shrunk  *shrink.Result     // nil: noShrunk is the reason

	noSlice, noShrunk string
	doc               *report.Document
}

// Gather reads the trace and explains its violation. source reads it from its start at each
// call: four times, and once or twice more for a violation with a long past. An error is one
// of the source, the options or ctx.
func Gather(ctx context.Context, source shrink.Source, opts Options) (*Incident, error) {
	in := &Incident{opts: opts}
	readings, left := 0, 0
	input := func(push func([]trace.Event) error) error {
		readings++
		second := readings == 2 // after the result is known, this reads the whole trace
		return source(ctx, func(events []trace.Event) error {
			for i := range events {
				if !second || left == 0 {
					break
				}
				left--
				in.doc.Timeline.Add(&events[i])
			}
			return push(events)
		})
	}
	accounts, result, err := explain.Explain(input, explain.Options{Judge: opts.Judge, Line: opts.Line, After: later, Steps: 1, Judged: func(r *validators.Result) {
		in.doc = &report.Document{Result: r, Specs: opts.Judge.Specs, Version: opts.Version}
		in.doc.Timeline = report.NewTimeline(in.doc)
		left = r.Events
		if opts.Judged != nil {
			opts.Judged(r)
		}
	}})
	in.Result = result
	if errors.Is(err, explain.ErrConforms) {
		return in, nil
	}
	if err != nil {
		return nil, err
	}
	if err := in.explained(accounts); err != nil {
		return nil, err
	}
	in.doc.Notes = append(result.Notes, past.Faults(in.account.Violations, opts.Judge.Attach)...)
	return in, in.shorten(ctx, source)
}

// OfModule returns the document for a trace spec, which reads its log as a whole. Without
// accounts, the log conforms, or was not judged.
func OfModule(accounts []explain.Account, result *validators.Result, opts Options) (*Incident, error) {
	in := &Incident{opts: opts, Result: result, noSlice: wholeLog, noShrunk: wholeLog}
	in.doc = &report.Document{Result: result, Version: opts.Version, Notes: result.Notes}
	if len(accounts) == 0 {
		return in, nil
	}
	return in, in.explained(accounts)
}

const wholeLog = "a trace spec reads its log as a whole"

// explained sets the account of the document's step.
func (in *Incident) explained(accounts []explain.Account) error {
	if in.account = &accounts[0]; len(in.account.Violations) == 0 {
		return errors.New("the step of " + in.opts.Line.String() + " breaks no rule: name a violating step, or leave --line out")
	}
	return nil
}

const later = 3 // events after the step that each object has

// Violated reports whether there is a violation.
func (in *Incident) Violated() bool { return in.account != nil }

// first returns the violation of the document.
func (in *Incident) first() *validators.Violation { return &in.account.Violations[0] }

// shorten makes the two short traces, the second from the first.
func (in *Incident) shorten(ctx context.Context, source shrink.Source) error {
	var err error
	judge := in.opts.Judge
	judge.KeepGoing = judge.KeepGoing || in.opts.Line.Line > 0
	wanted := shrink.Options{Judge: judge, Slice: true}
	if in.opts.Lines != nil {
		wanted.Lines = in.opts.Lines()
	}
	in.slice, err = shrink.Of(ctx, source, in.first(), wanted)
	if in.noSlice, err = why(ctx, err); err != nil || in.slice == nil {
		in.noShrunk = in.noSlice
		return err
	}
	events, err := in.sliced()
	if err != nil {
		return err
	}
	again := func(_ context.Context, do func([]trace.Event) error) error { return do(events) }
	wanted.Slice = false
	in.shrunk, err = shrink.Of(ctx, again, &in.slice.Violation, wanted)
	in.noShrunk, err = why(ctx, err)
	return err
}

// why returns the reason why there is no short trace. Other errors are returned as err.
func why(ctx context.Context, err error) (string, error) {
	switch {
	case err == nil:
		return "", nil
	case ctx.Err() == nil && errors.Is(err, shrink.ErrNotAgain):
		return err.Error(), nil
	}
	return "", err
}

// sliced returns the slice's events, with the positions that its violation names.
func (in *Incident) sliced() (events []trace.Event, err error) {
	var d trace.Decoder
	var other ingest.LineDecoder
	if in.opts.Lines != nil {
		other = in.opts.Lines()
	}
	for i, line := range in.slice.Lines {
		pos := trace.Pos{File: in.slice.Violation.File, Line: i + 1}
		if other != nil {
			if events, err = other.Decode(events, []byte(line), pos); err != nil {
				return nil, err
			}
			continue
		}
		var ev trace.Event
		if err := d.Decode([]byte(line), pos, &ev); err != nil {
			return nil, err
		}
		events = append(events, ev.Clone())
	}
	return events, nil
}
