package monitor

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"tracecheck/ingest/history"
	"tracecheck/monitor/board"
	"tracecheck/trace"
	"tracecheck/validators"
)

// timelines shows violations with the lines before them, from the latest lines of a
// part.
type timelines struct {
	kept   *history.Ring  // nil before the first line
	adding sync.WaitGroup // those of the current batch, on another goroutine

	second int64 // the second in which the latest timelines were made
	made   int   // timelines made in that second
}

const (
	leastLines = 1 << 20
	// fewLines are kept before they are judged: another goroutine would not be faster.
	fewLines = 128
	// mostTimeline and mostTimelineBytes bound the lines and bytes of a
	// timeline.
	mostTimeline      = 64
	mostTimelineBytes = 256 << 10
	// mostTimelines bounds the timelines made in a second. Each reads all
	// lines.
	mostTimelines = 20
)

// begin allocates room for size bytes of lines.
func (l *timelines) begin(size int) { l.kept = history.New(size) }

// add keeps the lines of a batch, if there are many while they are judged. There is room for size
// bytes of lines.
func (l *timelines) add(events []trace.Event, size int) {
	if len(events) == 0 {
		return
	}
	if l.kept == nil {
		l.begin(size)
	}
	if len(events) <= fewLines {
		l.kept.Add(events)
		return
	}
	l.adding.Go(func() { l.kept.Add(events) })
}

// upTo returns how many lines, counted from the latest, come after the stream's last
// one up to a line of a file. If that line is gone, it is the first line that is not
// after it by number. A rotated file numbers its lines from 1 again.
func (l *timelines) upTo(stream, file string, number int) int {
	n, first := 0, -1
	for at := range l.kept.Latest() {
		switch {
		case at.Pos.File == file && at.Pos.Line == number && at.IsOf(stream):
			return n
		case first < 0 && !(at.Pos.File == file && at.Pos.Line > number) && at.IsOf(stream):
			first = n
		}
		n++
	}
	if first < 0 {
		return n
	}
	return first
}

// timeline returns the violation with the lines about the objects of its step.
func (l *timelines) timeline(v *validators.Violation, part string, now time.Time) *board.Violation {
	shown := &board.Violation{Violation: *v, Part: part, Found: now}
	if s := now.Unix(); s != l.second {
		l.second, l.made = s, 0
	}
	if l.made++; l.made > mostTimelines || l.kept == nil {
		return shown
	}
	var decoder trace.Decoder
	ids := map[string]bool{}
	for i := range v.Events {
		var ev trace.Event
		if decoder.Decode([]byte(v.Events[i].Raw), trace.Pos{}, &ev) == nil {
			ids[ev.ID] = true
		}
	}
	for i := range v.Changes {
		ids[v.Changes[i].ID] = true
	}
	if len(ids) == 0 {
		return shown // a module read at run time has its own history
	}
	l.adding.Wait()
	bytes, behind := 0, l.upTo(v.Stream, cmp.Or(v.LastFile, v.File), v.LastLine)
	for at := range l.kept.Latest() {
		if behind--; behind >= 0 || !mentions(at.Raw, ids) || !at.IsOf(v.Stream) {
			continue
		}
		var ev trace.Event
		raw := strings.Clone(at.Raw)
		if decoder.Decode([]byte(raw), at.Pos, &ev) != nil || !ids[ev.ID] {
			continue
		}
		if shown.Earlier > 0 || len(shown.Timeline) == mostTimeline || bytes+len(raw) > mostTimelineBytes {
			shown.Earlier++
			continue
		}
		bytes += len(raw)
		shown.Timeline = append(shown.Timeline, board.Line{Pos: ev.Pos, Time: strings.Clone(ev.Time), Raw: raw})
	}
	slices.Reverse(shown.Timeline)
	return shown
}

// mentions reports quickly whether the line may be about one of the objects.
func mentions(raw string, ids map[string]bool) bool {
	for id := range ids {
		if strings.Contains(raw, id) || strings.ContainsRune(raw, '\\') {
			return true
		}
	}
	return false
}
