package validators

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"tracecheck/trace"
)

// jitter is how far the time of a stream's events may go backwards without a
// note. Recorders do not go backwards: no recording of a swarm does. The clocks
// of several writers differ by some milliseconds under NTP.
const jitter = int64(time.Second)

// notes collects what a shard has seen of the files.
type notes struct {
	last    string // of reached
	reached map[string]bool
	late    map[string]*lateness
	ignored map[string]constant // the first one of each file
}

// constant is one of a meta line that no spec has.
type constant struct {
	name string
	at   trace.Pos
}

// ignore notes a constant that no spec has.
func (n *notes) ignore(name string, at trace.Pos) {
	if first, is := n.ignored[at.File]; is && (first.at.Line < at.Line || first.at.Line == at.Line && first.name <= name) {
		return
	}
	if n.ignored == nil {
		n.ignored = map[string]constant{}
	}
	n.ignored[at.File] = constant{name, at}
}

// lateness is how far the time of a file's events goes backwards.
type lateness struct {
	first  trace.Pos // the first event that is older than an earlier one
	most   int64     // by how much at most, in ns
	events int
}

// isOfStep reports whether the event belongs to a step. Snapshots and meta
// lines do not.
func isOfStep(ev *trace.Event) bool { return ev.Op != trace.OpSnapshot && ev.Kind != trace.KindMeta }

// reach notes that the step was judged, or need not be.
func (s *stream) reach(step *trace.Step) {
	s.reached = true
	n := &s.shard.notes
	if n.reach(step.Events[0].Pos.File); len(step.Events) > 1 {
		n.reach(step.Last().File)
	}
}

func (n *notes) reach(file string) {
	if file == n.last && n.reached != nil {
		return
	}
	if n.reached == nil {
		n.reached = map[string]bool{}
	}
	n.last, n.reached[file] = file, true
}

// backwards notes an event that is older than the stream's clock.
func (n *notes) backwards(ev *trace.Event, clock int64) {
	by := uint64(clock) - uint64(ev.Nanos)
	if by <= uint64(jitter) {
		return
	}
	l := n.late[ev.Pos.File]
	if l == nil {
		if n.late == nil {
			n.late = map[string]*lateness{}
		}
		l = &lateness{first: ev.Pos}
		n.late[ev.Pos.File] = l
	}
	if ev.Pos.Line < l.first.Line { // streams are not judged in the order of the file
		l.first = ev.Pos
	}
	l.events++
	l.most = max(l.most, int64(min(by, 1<<62)))
}

// mostNotes bounds the notes of one kind.
const mostNotes = 10

// notes returns the notes on the input.
func (r *Runner) notes(res *Result, streams []*stream, ends []ending) []string {
	var all []string
	add := func(list []string, others string) {
		if more := len(list) - mostNotes; more > 0 {
			list = append(list[:mostNotes], fmt.Sprintf("and so are %d more %s", more, others))
		}
		all = append(all, list...)
	}
	if res.Known > 0 {
		all = append(all, fmt.Sprintf("the baseline has %d of the violations found: they are known, and not reported", res.Known))
	}
	var others, idle []string
	for i, s := range streams {
		if s.seq.Another != nil {
			others = append(others, s.seq.Another.Error()+"; its events from there to the next snapshot were skipped")
		}
		for k, e := range append(slices.Clip(s.endings()), ends[i]) {
			if e.unjudged > 0 && res.Steps > 0 {
				name := trace.StreamName(s.name)
				if s.past != nil {
					name = fmt.Sprintf("recording %d of %s", k+1, name)
				}
				idle = append(idle, fmt.Sprintf("no step of %s was judged: %s", name, unjudged(e.unjudged)))
			}
		}
	}
	add(others, "streams")
	add(idle, "recordings")
	files := slices.SortedFunc(maps.Values(r.files), func(a, b *inputFile) int { return cmp.Compare(a.place, b.place) })
	var passed, late, ignored []string
	for _, f := range files {
		if f.lines > 0 && res.Steps > 0 && !r.isReached(f.name) {
			passed = append(passed, fmt.Sprintf("no step of %s was judged: %s", trace.Pos{File: f.name}, unjudged(f.lines)))
		}
		if l := r.lateness(f.name); l != nil {
			late = append(late, fmt.Sprintf("%s: the time goes backwards here, by up to %s at %d such events of the file: see whether it is sorted",
				l.first, time.Duration(l.most).Round(time.Millisecond), l.events))
		}
	}
	for _, f := range files {
		var first notes
		for i := range r.shards {
			if c, is := r.shards[i].notes.ignored[f.name]; is {
				first.ignore(c.name, c.at)
			}
		}
		for _, c := range first.ignored {
			ignored = append(ignored, fmt.Sprintf("%s: the constant %q has no effect, since no spec has it (%s)", c.at, c.name, r.likeConstant(c.name)))
		}
	}
	add(passed, "files")
	add(late, "files")
	add(ignored, "files")
	return all
}

func unjudged(lines int) string {
	return fmt.Sprintf("all of its %d lines were skipped, or are of kinds that no chosen spec reads", lines)
}

func (r *Runner) isReached(file string) bool {
	for i := range r.shards {
		if r.shards[i].notes.reached[file] {
			return true
		}
	}
	return false
}

// lateness merges what the shards have seen of the file; nil: nothing.
func (r *Runner) lateness(file string) *lateness {
	var sum *lateness
	for i := range r.shards {
		l := r.shards[i].notes.late[file]
		switch {
		case l == nil:
		case sum == nil:
			c := *l
			sum = &c
		default:
			sum.events += l.events
			sum.most = max(sum.most, l.most)
			if l.first.Line < sum.first.Line {
				sum.first = l.first
			}
		}
	}
	return sum
}
