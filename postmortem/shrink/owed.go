package shrink

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"tracecheck/trace"
	"tracecheck/validators"
)

// asText describes the object and the action that it waits for.
func asText(w *validators.Waiting) string {
	return strings.Join([]string{w.Kind, w.ID, w.Part, w.Action}, "\x00")
}

// owing finds the wait of a liveness violation. For a predicate that does not hold, it is the
// longest wait for one of the spec's actions, if there is any.
func (j *jury) owing(source Source, v *validators.Violation, judge *validators.Options) error {
	switch j.owed = v.Waiting; {
	case v.Kind != validators.OfLiveness || j.owed != nil && j.owed.Kind != "":
		return nil
	case j.owed == nil:
		return ErrNotAgain // the violation does not name what waits
	}
	opts := j.opts
	opts.Specs, opts.Select = judge.Specs, []string{j.spec.Name}
	opts.Steps, opts.Profile, opts.Constants, opts.Deadline, opts.Prompt = judge.Steps, judge.Profile, judge.Constants, 0, 0
	runner, err := validators.NewRunner(opts)
	if err != nil {
		return err
	}
	step := trace.Pos{File: cmp.Or(v.FirstFile, v.File), Line: v.FirstLine}
	files := map[string]int{} // the place of each file
	err = source(j.ctx, func(events []trace.Event) error {
		for i := range events {
			ev := &events[i]
			if ev.Pos.File == step.File && ev.Pos.Line == step.Line {
				return errFound
			}
			if ev.Stream != v.Stream {
				continue
			}
			if _, has := files[ev.Pos.File]; !has {
				files[strings.Clone(ev.Pos.File)] = len(files)
			}
			if err := runner.Push(events[i : i+1]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil && err != errFound {
		return err
	}
	isBefore := func(a, b *validators.Waiting) bool {
		if a.SinceFile != b.SinceFile {
			return files[a.SinceFile] < files[b.SinceFile]
		}
		return a.SinceLine < b.SinceLine
	}
	for _, w := range waiting(runner) {
		if j.owed.Kind == "" || isBefore(&w, j.owed) {
			j.owed = &w
		}
	}
	return nil
}

// waiting returns the waits at the end of a run, at most validators.MaxWaiting for each
// property.
func waiting(runner *validators.Runner) (list []validators.Waiting) {
	for _, l := range runner.Finish().Liveness {
		for _, w := range l.Waiting {
			if w.Kind != "" {
				list = append(list, w)
			}
		}
	}
	return list
}

// owes reports whether the wait of the violation began at the same step as in the trace.
func (j *jury) owes(d *draft, events []trace.Event, v *validators.Violation) bool {
	since := v.Waiting.SinceLine
	if v.Waiting.Kind == "" && j.owed.Kind != "" {
		opts := j.opts
		opts.Deadline, opts.Prompt = 0, 0
		runner, err := validators.NewRunner(opts)
		if err != nil {
			j.err = err
			return false
		}
		if runner.Push(events[:v.FirstLine-1]) != nil {
			return false
		}
		all := waiting(runner)
		i := slices.IndexFunc(all, func(w validators.Waiting) bool { return asText(&w) == asText(j.owed) })
		if i < 0 {
			return false
		}
		since = all[i].SinceLine
	}
	u := d.unitOf(since)
	return u != nil && (d.story.origin == u.origin || d.story.origin == 0 && u.isSnapshots())
}

// earliest returns the draft, perhaps with fewer times, so that the violation is the first one
// if possible. Without the times in between, all waits that are too long show at once.
func (j *jury) earliest(d *draft) *draft {
	v := j.shows(d)
	if v == nil {
		if j.err == nil {
			j.err = errors.New("shrink: the short trace does not show the violation")
		}
		return d
	}
	j.beside = j.broken
	if !j.opts.KeepGoing {
		return d
	}
	j.opts.KeepGoing = false
	for _, other := range []*draft{j.untimed(d, v), d} {
		if other != nil && j.accepts(other) {
			return other
		}
	}
	j.opts.KeepGoing = true
	return d
}

// untimed returns the draft without the times between the step that opened the obligation and
// the one that shows the violation; nil for a slice.
func (j *jury) untimed(d *draft, v *validators.Violation) *draft {
	if j.slice || d.story == nil || d.story.origin == 0 {
		return nil
	}
	between := false
	shown := d.unitOf(v.Line)
	other := &draft{meta: d.meta, story: d.story}
	for _, u := range d.units {
		if between = between && u != shown; between {
			u = u.of(slices.Clone(u.lines))
			for i, l := range u.lines {
				u.lines[i] = l.without(func(f int) bool { return !l.fields[f].envelope || l.fields[f].name != "time" })
			}
		}
		other.units = append(other.units, u)
		between = between || u.origin == d.story.origin
	}
	return other
}
