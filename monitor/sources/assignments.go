package sources

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"tracecheck/ingest"
	"tracecheck/monitor"
	"tracecheck/trace"
)

// assignments records the file of each stream. If a stream is in two files, the
// order of its events is unknown.
type assignments struct {
	mu  sync.Mutex
	all map[string]*assignment
}

// assignment is the file of a stream. stream and file are set once.
type assignment struct {
	stream string
	file   string
	other  atomic.Pointer[string] // a second file that has the stream; nil: none
}

func newAssignments() *assignments { return &assignments{all: map[string]*assignment{}} }

// find returns the assignment of a stream that was seen in the file.
func (h *assignments) find(stream, file string) *assignment {
	h.mu.Lock()
	defer h.mu.Unlock()
	at := h.all[stream]
	if at == nil {
		at = &assignment{stream: strings.Clone(stream), file: file}
		h.all[at.stream] = at
	} else if at.file != file {
		at.other.CompareAndSwap(nil, &file)
	}
	return at
}

// residents are the streams of one file.
type residents struct {
	assignments *assignments
	file        string
	known       map[string]*assignment
	reported    map[string]bool // streams already reported as being in two files
}

func (h *assignments) of(file string) *residents {
	return &residents{assignments: h, file: file, known: map[string]*assignment{}, reported: map[string]bool{}}
}

// check removes events of streams that are in two files from the batch. It
// reports each stream once.
func (r *residents) check(b *monitor.Batch) {
	var at *assignment
	for i := range b.Events {
		if at = r.assignmentOf(b.Events[i].Stream, at); at.other.Load() != nil {
			r.takeOut(b, i)
			return
		}
	}
}

// assignmentOf returns the stream's assignment; last is that of the previous
// event, or nil.
func (r *residents) assignmentOf(stream string, last *assignment) *assignment {
	if last != nil && last.stream == stream {
		return last
	}
	at := r.known[stream]
	if at == nil {
		at = r.assignments.find(stream, r.file)
		r.known[at.stream] = at
	}
	return at
}

// takeOut is check from the first event to remove.
func (r *residents) takeOut(b *monitor.Batch, first int) {
	var at *assignment
	b.TakeOut(first, func(ev *trace.Event) (bool, *ingest.Malformed) {
		at = r.assignmentOf(ev.Stream, at)
		other := at.other.Load()
		if other == nil || r.reported[at.stream] {
			return other != nil, nil
		}
		r.reported[at.stream] = true
		return true, r.split(at, *other, ev)
	})
}

// split is the error that the stream is in two files.
func (r *residents) split(at *assignment, other string, ev *trace.Event) *ingest.Malformed {
	if other == r.file {
		other = at.file
	}
	return &ingest.Malformed{Streams: []string{at.stream}, Raw: []byte(ev.Raw), Err: &trace.Error{
		Pos: ev.Pos, Stream: at.stream, Reason: fmt.Sprintf(
			"%s is also in %s, so the order of its events is unknown: write each stream to one file. None of its events is judged from here on",
			trace.StreamName(at.stream), other),
	}}
}
