package report

import (
	"encoding/json"
	"strings"

	"tracecheck/trace"
	"tracecheck/validators"
)

// A timeline keeps every event, up to mostMarks. For a longer trace it keeps
// only events of the objects of violations, and the density of events.
const (
	mostMarks   = 200_000
	mostText    = 4 << 20 // bytes of texts; each distinct text counts once
	textCut     = 120     // characters of a text
	buckets     = 512     // of the density
	mostWatched = 500     // objects of violations
)

// Timeline is the history of the objects of a trace. Add every event, in order.
type Timeline struct {
	lanes     map[laneKey]*lane
	order     []*lane // by first appearance
	watched   map[laneKey]bool
	violating map[trace.Pos]int // index of the event of each violation, -1 before it
	permitted map[change]string // the actor that the text permits to make the change
	texts     map[string]int
	text      []string
	textBytes int
	files     []fileStart
	events    int // without meta lines
	marks     int
	most      int   // limit of marks: mostMarks
	partial   bool  // only watched lanes are kept
	timed     bool  // every event has a time, except for snapshots
	began     int64 // the first time, in ns since 1970
	now       int64 // the last time, in ms after began
	density   [buckets]int
	width     int64 // ms of a bucket
}

type laneKey struct {
	stream, kind, id, within string
}

// lane is the history of one object.
type lane struct {
	laneKey
	group  string // its group, such as a task's service and slot
	status string // current status, "" if it does not exist
	marks  []mark
}

// mark is one event of a lane. Texts are indices in Timeline.text.
type mark struct {
	n, line                  int
	millis                   int64 // since Timeline.began
	op, status, actor, about int
	claimed                  bool // the event names the actor
}

type change struct{ from, to string }

type fileStart struct {
	name  string
	first int // index of its first event
}

// NewTimeline returns an empty timeline for the document.
func NewTimeline(d *Document) *Timeline {
	t := &Timeline{lanes: map[laneKey]*lane{}, watched: map[laneKey]bool{}, violating: map[trace.Pos]int{},
		permitted: map[change]string{}, texts: map[string]int{}, timed: true, width: 1, most: mostMarks}
	t.intern("")
	for _, s := range d.Specs {
		if s.Transitions == nil {
			continue
		}
		for _, tr := range s.Transitions() {
			c := change{strings.TrimPrefix(tr.From, "null"), strings.TrimPrefix(tr.To, "null")}
			if by, twice := t.permitted[c]; twice && by != tr.By {
				tr.By = "" // several actors may make it
			}
			t.permitted[c] = tr.By
		}
	}
	for i := range d.Result.Violations {
		v := &d.Result.Violations[i]
		t.violating[trace.Pos{File: v.File, Line: v.Line}] = -1
		for _, key := range subjects(v) {
			if len(t.watched) < mostWatched {
				t.watched[key] = true
			}
		}
	}
	return t
}

// subjects are the objects of a violation.
func subjects(v *validators.Violation) []laneKey {
	var keys []laneKey
	seen := map[laneKey]bool{}
	add := func(raw json.RawMessage) {
		var l line
		if json.Unmarshal(raw, &l) == nil {
			if key := keyOf(v.Stream, &l); !seen[key] {
				seen[key] = true
				keys = append(keys, key)
			}
		}
	}
	for i := range v.Events {
		add(v.Events[i].Raw)
	}
	for i := range v.History {
		add(v.History[i].Raw)
	}
	return keys
}

func keyOf(stream string, l *line) laneKey {
	key := laneKey{stream: stream, kind: l.Kind, id: l.ID}
	if l.Kind == "syncer" { // identified by cluster and namespace together
		key.within = stringOf(l.Object, "namespace")
	}
	return key
}

// Add adds the next event. It keeps no reference to it.
func (t *Timeline) Add(ev *trace.Event) {
	if ev.Kind == trace.KindMeta {
		return
	}
	n := t.events
	t.events++
	if len(t.files) == 0 || t.files[len(t.files)-1].name != ev.Pos.File {
		t.files = append(t.files, fileStart{strings.Clone(ev.Pos.File), n})
	}
	if _, is := t.violating[ev.Pos]; is {
		t.violating[ev.Pos] = n
	}
	t.tick(ev)
	t.count()
	var l line
	if json.Unmarshal([]byte(ev.Raw), &l) != nil {
		return
	}
	key := keyOf(strings.Clone(ev.Stream), &l)
	if t.partial && !t.watched[key] {
		return
	}
	t.mark(t.lane(key), ev, &l, n)
	if t.marks++; t.marks > t.most && !t.partial {
		t.shed()
	}
}

// tick advances the clock, which does not run backwards. An event without a
// time has the time of its predecessor.
func (t *Timeline) tick(ev *trace.Event) {
	switch {
	case ev.Time == "":
		t.timed = t.timed && ev.Op == trace.OpSnapshot
	case t.began == 0:
		t.began = ev.Nanos
	default:
		t.now = max(t.now, (ev.Nanos-t.began)/1e6)
	}
}

// count counts the event in its bucket. It merges buckets if there are too
// many.
func (t *Timeline) count() {
	for t.now/t.width >= buckets {
		for i := range buckets / 2 {
			t.density[i] = t.density[2*i] + t.density[2*i+1]
		}
		clear(t.density[buckets/2:])
		t.width *= 2
	}
	t.density[t.now/t.width]++
}

func (t *Timeline) lane(key laneKey) *lane {
	l := t.lanes[key]
	if l == nil {
		l = &lane{laneKey: key}
		t.lanes[key] = l
		t.order = append(t.order, l)
	}
	return l
}

// shed drops all lanes that are not watched.
func (t *Timeline) shed() {
	t.partial = true
	var kept []*lane
	t.marks = 0
	for _, l := range t.order {
		if t.watched[l.laneKey] {
			kept = append(kept, l)
			t.marks += len(l.marks)
		} else {
			delete(t.lanes, l.laneKey)
		}
	}
	t.order = kept
}

func (t *Timeline) mark(l *lane, ev *trace.Event, raw *line, n int) {
	fields, _ := members(raw.Object)
	was := l.status
	l.status = statusAfter(was, ev.Op, fields)
	if group := groupOf(ev.Kind, fields); group != "" {
		l.group = group
	}
	m := mark{n: n, line: ev.Pos.Line, millis: t.now, op: t.intern(ev.Op.String()), status: t.intern(l.status), claimed: ev.Actor != ""}
	actor := ev.Actor
	if actor == "" && was != l.status && ev.Op != trace.OpSnapshot {
		actor = t.permitted[change{was, l.status}]
	}
	m.actor = t.intern(strings.Clone(clean(actor)))
	m.about = t.intern(shorten(clean(content(raw.Object, nil)+by(raw)), textCut))
	l.marks = append(l.marks, m)
}

// intern returns the index of the text. Beyond the limit, texts are left out.
func (t *Timeline) intern(s string) int {
	if i, ok := t.texts[s]; ok {
		return i
	}
	if t.textBytes += len(s); t.textBytes > mostText {
		return 0
	}
	t.texts[s] = len(t.text)
	t.text = append(t.text, s)
	return len(t.text) - 1
}
