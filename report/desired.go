package report

import (
	"fmt"

	"tracecheck/internal/amount"
	"tracecheck/trace"
	"tracecheck/validators"
)

// undesiredShown bounds the streams listed as not in their desired state.
const undesiredShown = 5

// desired lists the streams that did not end in their desired state.
func (p *printer) desired(r *validators.Result) {
	states := r.Desired
	if len(states) == 0 {
		return
	}
	if len(states) == 1 {
		s, which, not := &states[0], "the stream", ""
		if r.Streams > 1 { // the others were not judged to their end
			which = recordingName(s.Stream, s.Recording)
		}
		if !s.InDesiredState {
			not = "not "
		}
		p.wrapped(0, plain, "", plain, begin(which)+" has "+not+"been in its desired state since "+since(s)+".")
		return
	}
	var out []*validators.StreamState
	specs := map[string]bool{}
	for i := range states {
		specs[states[i].Spec] = true
		if !states[i].InDesiredState {
			out = append(out, &states[i])
		}
	}
	if len(out) == 0 {
		p.wrapped(0, plain, "", plain, fmt.Sprintf("All %s are in their desired state.", amount.Grouped(len(states))))
		return
	}
	p.wrapped(0, plain, "", plain, fmt.Sprintf("%s of %s are not in their desired state:",
		amount.Grouped(len(out)), amount.Of(len(states), "stream")))
	for i, s := range out {
		if i == undesiredShown {
			p.raw(2, fmt.Sprintf("and %s more", amount.Grouped(len(out)-i)))
			break
		}
		name := recordingName(s.Stream, s.Recording)
		if len(specs) > 1 {
			name += " (" + s.Spec + ")"
		}
		p.cut(2, plain, name+"  since "+since(s))
	}
}

// recordingName names a recording of a stream; 0 is the first.
func recordingName(stream string, recording int) string {
	if recording == 0 {
		return trace.StreamName(stream)
	}
	return fmt.Sprintf("%s, recording %d", trace.StreamName(stream), recording)
}

func since(s *validators.StreamState) string { return moment(s.SinceFile, s.SinceLine, s.SinceTime) }

func moment(file string, line int, time string) string {
	at := trace.Pos{File: file, Line: line}.String()
	if time != "" {
		at += " (" + time + ")"
	}
	return at
}
