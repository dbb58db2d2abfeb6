package report

import (
	"cmp"
	"slices"
	"strings"

	"tracecheck/postmortem/replay"
	"tracecheck/trace"
	"tracecheck/validators"
)

// timelineData is the timeline for the page's script.
type timelineData struct {
	Files      []fileData `json:"files"`
	Texts      []string   `json:"texts"`
	Lanes      []laneData `json:"lanes"`
	Violations []markData `json:"violations"`
	Events     int        `json:"events"`
	Partial    bool       `json:"partial"`
	Timed      bool       `json:"timed"`
	Began      int64      `json:"began"`   // ms since 1970
	Density    []int      `json:"density"` // events per bucket
	Width      int64      `json:"width"`   // ms of a bucket
}

type fileData struct {
	Name  string `json:"name"` // prefix of a line number
	First int    `json:"first"`
}

// laneData has its events as rows of stride numbers: index of the event, ms
// since began, line, op, status, actor, text. An actor is negative if the event
// does not name it.
type laneData struct {
	Kind    string `json:"kind"`
	ID      string `json:"id"`
	Stream  string `json:"stream,omitempty"`
	Group   string `json:"group,omitempty"`
	Watched bool   `json:"watched,omitempty"`
	Rows    []int  `json:"rows"`
}

type markData struct {
	N     int    `json:"n"`
	Label string `json:"label"`
}

// data returns nil if there is no timeline.
func (t *Timeline) data(r *validators.Result) *timelineData {
	if t == nil || t.events == 0 {
		return nil
	}
	d := &timelineData{Texts: []string{""}, Events: t.events, Partial: t.partial, Timed: t.timed && t.began != 0, Began: t.began / 1e6,
		Density: t.density[:t.now/t.width+1], Width: t.width, Lanes: []laneData{}, Violations: []markData{}}
	for _, f := range t.files {
		name := clean(trace.Pos{File: f.name}.String()) + ":"
		if t.offsets() {
			name = strings.TrimSuffix(name, ":") + " offset "
		}
		d.Files = append(d.Files, fileData{name, f.first})
	}
	related := t.related()
	place := map[int]int{0: 0} // indices of the texts of the kept lanes
	text := func(i int) int {
		at, ok := place[i]
		if !ok {
			at = len(d.Texts)
			place[i] = at
			d.Texts = append(d.Texts, t.text[i])
		}
		return at
	}
	for _, l := range t.sorted() {
		data := laneData{Kind: l.kind, ID: clean(l.id), Stream: clean(l.stream), Group: l.group, Watched: t.watched[l.laneKey] || l.isRelated(related)}
		for i := range l.marks {
			m := &l.marks[i]
			actor := text(m.actor)
			if !m.claimed {
				actor = -actor
			}
			data.Rows = append(data.Rows, m.n, int(m.millis), t.number(m.line), text(m.op), text(m.status), actor, text(m.about))
		}
		d.Lanes = append(d.Lanes, data)
	}
	for i := range r.Violations {
		v := &r.Violations[i]
		if n := t.violating[trace.Pos{File: v.File, Line: v.Line}]; n >= 0 {
			d.Violations = append(d.Violations, markData{n, clean(v.Spec + ": " + string(v.Kind) + " " + v.Rule)})
		}
	}
	return d
}

// offsets reports whether the lines are Kafka messages: all are, or none.
func (t *Timeline) offsets() bool {
	_, is := trace.Pos{File: t.files[0].name, Line: 1}.Offset()
	return is
}

// number is the line number, or the offset.
func (t *Timeline) number(line int) int {
	return int(trace.Pos{File: t.files[0].name, Line: line}.Number())
}

// related are the services and slots of watched objects, as named by a task's
// lane.
func (t *Timeline) related() map[[2]string]bool {
	related := map[[2]string]bool{}
	for _, l := range t.order {
		if t.watched[l.laneKey] {
			for _, name := range l.belongs() {
				related[[2]string{l.stream, name}] = true
			}
		}
	}
	return related
}

// belongs returns the service and slot of the lane. A watched service relates
// to all its tasks. A watched task relates to its service and to the tasks of
// its slot.
func (l *lane) belongs() []string {
	switch l.kind {
	case "service":
		return []string{"service " + clean(l.id), "tasks of " + clean(l.id)}
	case "task":
		service, _, _ := strings.Cut(l.group, slotSeparator)
		return []string{"service " + service, "slot " + l.group}
	}
	return nil
}

// isRelated reports whether the lane relates to a watched one.
func (l *lane) isRelated(related map[[2]string]bool) bool {
	name := ""
	switch l.kind {
	case "service":
		name = "service " + clean(l.id)
	case "task":
		service, _, _ := strings.Cut(l.group, slotSeparator)
		if related[[2]string{l.stream, "tasks of " + service}] {
			return true
		}
		name = "slot " + l.group
	}
	return related[[2]string{l.stream, name}]
}

// sorted returns the lanes by stream and kind. Lanes of a group are together.
func (t *Timeline) sorted() []*lane {
	lanes := slices.Clone(t.order)
	rank := map[string]int{}
	for i, k := range replay.Kinds() {
		rank[k.String()] = i
	}
	slices.SortStableFunc(lanes, func(a, b *lane) int {
		return cmp.Or(cmp.Compare(a.stream, b.stream), rank[a.kind]-rank[b.kind], natural(a.group, b.group))
	})
	return lanes
}

// natural compares embedded numbers by value: slot 2 precedes slot 10.
func natural(a, b string) int {
	for a != "" && b != "" {
		m, n := digits(a), digits(b)
		if m > 0 && n > 0 {
			if c := cmp.Or(m-n, cmp.Compare(a[:m], b[:n])); c != 0 {
				return c
			}
			a, b = a[m:], b[n:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return len(a) - len(b)
}

func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// Bounds on a strip.
const (
	stripsShown = 8
	stripBefore = 12
	stripAfter  = 2
)

// strip is the history of one object near a violation, for readers without
// scripts.
type strip struct {
	Name   string
	Hidden int // earlier events
	Marks  []stripMark
}

type stripMark struct {
	Place  string
	Op     string
	Status string // "" if the object does not exist
	Actor  string
	Breaks bool // it breaks the rule
}

// strips are the histories of the objects that a violating step changed.
func (t *Timeline) strips(v *validators.Violation) []strip {
	if t == nil {
		return nil
	}
	at, known := t.violating[trace.Pos{File: v.File, Line: v.Line}]
	if !known || at < 0 {
		return nil
	}
	var list []strip
	for _, key := range subjects(v) {
		l := t.lanes[key]
		if l == nil || len(list) == stripsShown {
			continue
		}
		last, _ := slices.BinarySearchFunc(l.marks, at+1, func(m mark, n int) int { return m.n - n })
		from, to := max(0, last-stripBefore), min(len(l.marks), last+stripAfter)
		s := strip{Name: clean(l.kind + " " + l.id), Hidden: from}
		for _, m := range l.marks[from:to] {
			s.Marks = append(s.Marks, stripMark{Place: trace.Pos{File: v.File, Line: m.line}.Within(), Op: t.text[m.op], Status: t.text[m.status], Actor: t.text[m.actor], Breaks: m.n == at})
		}
		list = append(list, s)
	}
	return list
}
