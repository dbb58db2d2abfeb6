package sources

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"tracecheck/monitor"
	"tracecheck/trace"
)

// homes knows the file of each stream. In two files, the order of a stream's
// events is not known.
type homes struct {
	mu  sync.Mutex
	all map[string]*home
}

// home is where a stream is. Its name and file are set once.
type home struct {
	stream string
	file   string
	other  atomic.Pointer[string] // the file that has it, too; nil: none
}

func newHomes() *homes { return &homes{all: map[string]*home{}} }

// find returns the home of a stream that was seen in the file.
func (h *homes) find(stream, file string) *home {
	h.mu.Lock()
	defer h.mu.Unlock()
	at := h.all[stream]
	if at == nil {
		at = &home{stream: strings.Clone(stream), file: file}
		h.all[at.stream] = at
	} else if at.file != file {
		at.other.CompareAndSwap(nil, &file)
	}
	return at
}

// residents are the streams of one file.
type residents struct {
	homes *homes
	file  string
	known map[string]*home
	told  map[string]bool // those that were said to be in two files
}

func (h *homes) of(file string) *residents {
	return &residents{homes: h, file: file, known: map[string]*home{}, told: map[string]bool{}}
}

// check takes the events of streams that are in two files out of the batch, and
// says so once of each.
func (r *residents) check(b *monitor.Batch) {
	var at *home
	for i := range b.Events {
		if at = r.homeOf(b.Events[i].Stream, at); at.other.Load() != nil {
			r.takeOut(b, i)
			return
		}
	}
}

// homeOf is the stream's home; last is that of the event before, or nil.
func (r *residents) homeOf(stream string, last *home) *home {
	if last != nil && last.stream == stream {
		return last
	}
	at := r.known[stream]
	if at == nil {
		at = r.homes.find(stream, r.file)
		r.known[at.stream] = at
	}
	return at
}

// takeOut is check from the first event on that is to be taken out.
func (r *residents) takeOut(b *monitor.Batch, first int) {
	var at *home
	b.TakeOut(first, func(ev *trace.Event) (bool, *monitor.Bad) {
		at = r.homeOf(ev.Stream, at)
		other := at.other.Load()
		if other == nil || r.told[at.stream] {
			return other != nil, nil
		}
		r.told[at.stream] = true
		return true, r.split(at, *other, ev)
	})
}

// split says that the stream is in two files.
func (r *residents) split(at *home, other string, ev *trace.Event) *monitor.Bad {
	if other == r.file {
		other = at.file
	}
	return &monitor.Bad{Streams: []string{at.stream}, Raw: []byte(ev.Raw), Err: &trace.Error{
		Pos: ev.Pos, Stream: at.stream, Reason: fmt.Sprintf(
			"%s is in %s too, and the order of what lies in two files is not known: give each stream one file; none of its events is judged from here on",
			trace.StreamName(at.stream), other),
	}}
}
