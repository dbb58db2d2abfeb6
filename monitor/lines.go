package monitor

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"
	"time"

	"tracecheck/monitor/board"
	"tracecheck/trace"
	"tracecheck/validators"
)

// lines is a ring buffer of the latest lines of a part. A violation is shown
// with the lines before it.
type lines struct {
	seed maphash.Seed
	buf  []byte
	end  int // after the latest line in buf
	list []line
	next int // index in list of the next line
	used int // entries of list in use

	second int64 // the second in which the latest timelines were made
	made   int   // timelines made in that second
}

// line is a line in the ring.
type line struct {
	stream uint64 // the hash of the stream's name
	file   string
	number int
	from   int
	length int
}

const (
	leastLines   = 1 << 20
	bytesPerLine = 256 // an estimate: a line with its entry in list
	noted        = 48  // size of the entry
	longestLine  = 64 << 10
	// mostTimeline and mostTimelineBytes bound the lines and bytes of a
	// timeline.
	mostTimeline      = 64
	mostTimelineBytes = 256 << 10
	// mostTimelines bounds the timelines made in a second. Each reads all
	// lines.
	mostTimelines = 20
)

// begin allocates room for size bytes, and for the entries of their lines.
func (l *lines) begin(size int) {
	n := size / bytesPerLine
	l.seed = maphash.MakeSeed()
	l.buf, l.list = make([]byte, size-n*noted), make([]line, n)
}

// add appends the events' lines.
func (l *lines) add(events []trace.Event) {
	for i := range events {
		ev := &events[i]
		n := len(ev.Raw)
		if n > longestLine {
			continue
		}
		if l.end+n > len(l.buf) {
			// The lines after it are older than those at the start.
			for l.used > 0 && l.oldest().from >= l.end {
				l.used--
			}
			l.end = 0
		}
		// Drop the lines that these bytes belong to.
		for l.used > 0 && l.overlaps(l.oldest(), l.end, n) {
			l.used--
		}
		l.used = min(l.used+1, len(l.list))
		l.list[l.next] = line{maphash.String(l.seed, ev.Stream), ev.Pos.File, ev.Pos.Line, l.end, n}
		l.next = (l.next + 1) % len(l.list)
		copy(l.buf[l.end:], ev.Raw)
		l.end += n
	}
}

// at returns the n-th latest line, from 1.
func (l *lines) at(n int) *line { return &l.list[(l.next-n+len(l.list))%len(l.list)] }

func (l *lines) oldest() *line { return l.at(l.used) }

// upTo returns which line, counted from the latest, is the stream's last one up
// to a line of a file. If that line is gone, it is the first line that is not
// after it by number. A rotated file numbers its lines from 1 again.
func (l *lines) upTo(stream uint64, file string, number int) int {
	first := 0
	for n := 1; n <= l.used; n++ {
		at := l.at(n)
		switch {
		case at.stream != stream:
		case at.file == file && at.number == number:
			return n
		case first == 0 && !(at.file == file && at.number > number):
			first = n
		}
	}
	return cmp.Or(first, l.used+1)
}

func (l *lines) overlaps(old *line, from, length int) bool {
	return old.from < from+length && from < old.from+old.length
}

// timeline returns the violation with the lines about the objects of its step.
func (l *lines) timeline(v *validators.Violation, part string, now time.Time) *board.Violation {
	shown := &board.Violation{Violation: *v, Part: part, Found: now}
	if s := now.Unix(); s != l.second {
		l.second, l.made = s, 0
	}
	if l.made++; l.made > mostTimelines || l.used == 0 {
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
	stream := maphash.String(l.seed, v.Stream)
	bytes := 0
	for n := l.upTo(stream, cmp.Or(v.LastFile, v.File), v.LastLine); n <= l.used; n++ {
		at := l.at(n)
		if at.stream != stream {
			continue
		}
		raw := string(l.buf[at.from : at.from+at.length])
		if !mentions(raw, ids) {
			continue
		}
		var ev trace.Event
		if decoder.Decode([]byte(raw), trace.Pos{File: at.file, Line: at.number}, &ev) != nil || !ids[ev.ID] {
			continue
		}
		if shown.Earlier > 0 || len(shown.Timeline) == mostTimeline || bytes+len(raw) > mostTimelineBytes {
			shown.Earlier++
			continue
		}
		bytes += len(raw)
		shown.Timeline = append(shown.Timeline, board.Line{Pos: ev.Pos, Time: ev.Time, Raw: raw})
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
