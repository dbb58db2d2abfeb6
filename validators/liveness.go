package validators

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"tracecheck/trace"
)

// Status is what a finite trace shows of a temporal property.
type Status string

// The values. A finite trace never satisfies a property of the forms [], <>[]
// and WF for good, so there is no such status. A single obligation can be
// satisfied.
const (
	ForGood   Status = "satisfied"
	Holding   Status = "holding so far"
	AtRisk    Status = "at risk"  // does not hold if nothing more happens
	Forfeited Status = "violated" // no continuation can make it hold
)

// Liveness is the status of one temporal property on one stream.
type Liveness struct {
	Stream    string    `json:"stream"`
	Recording int       `json:"recording,omitempty"` // number of the stream's recording: 2, 3, …; left out for the first
	Spec      string    `json:"spec"`
	Rule      string    `json:"rule"` // the property's name
	Status    Status    `json:"status"`
	SinceFile string    `json:"since_file,omitempty"` // the file of SinceLine
	SinceLine int       `json:"since_line,omitempty"` // the event since which the status holds; none: since the start
	SinceTime string    `json:"since_time,omitempty"` // RFC 3339, in UTC
	Open      int       `json:"open,omitempty"`       // open obligations
	Satisfied int       `json:"satisfied,omitempty"`  // obligations that ended: the action was taken, or is no longer enabled
	Waiting   []Waiting `json:"waiting,omitempty"`    // the oldest open obligations, at most MaxWaiting
}

// Waiting is an open obligation: an object that waits for an action.
type Waiting struct {
	Kind      string `json:"kind,omitempty"` // none: the stream itself
	ID        string `json:"id,omitempty"`
	Part      string `json:"part,omitempty"` // part of the object, such as "slot 3"
	Action    string `json:"action"`
	SinceFile string `json:"since_file,omitempty"`
	SinceLine int    `json:"since_line"`
	SinceTime string `json:"since_time,omitempty"`
	Reason    string `json:"reason,omitempty"` // the cause that the steps show
}

// MaxWaiting bounds the obligations listed for a property.
const MaxWaiting = 20

// Stamp is a place and time in a stream.
type Stamp struct {
	Pos   trace.Pos
	nanos int64 // stream's clock, in ns since 1970; noTime: unknown
}

// liveness judges the spec's temporal properties at the end of a stream.
func (s *stream) liveness(j *judge) []Liveness {
	if j.provisional {
		return nil
	}
	all := make([]Liveness, 0, len(j.spec.Temporal))
	r := &s.shard.reckoning
	r.list = r.list[:0]
	for i := range j.spec.Temporal {
		p := &j.spec.Temporal[i]
		if p.Profile != "" && p.Profile != s.config.Profile {
			continue
		}
		l := Liveness{Stream: s.name, Recording: s.recordingNumber(), Spec: j.spec.Name, Rule: p.Name, Status: Holding}
		switch at, broken := j.forfeited[p.Name]; {
		case broken:
			l.Status = Forfeited
			l.since(at)
		case j.machine == nil:
			continue // not judged to the end
		default:
			r.list = append(r.list, unsettled{property: p, place: len(all)})
		}
		all = append(all, l)
	}
	j.reckon(r, all)
	return all
}

func (l *Liveness) since(at Stamp) {
	l.SinceFile, l.SinceLine, l.SinceTime = at.Pos.File, at.Pos.Line, at.time()
}

// unsettled is a property whose status depends on open obligations.
type unsettled struct {
	property *Temporal
	place    int // index of its Liveness
	open     int
	longest  [MaxWaiting]*Obligation // the longest open first
}

// reckoning is the state of judging a judge's properties, with the properties
// by Wait. A shard reuses it.
type reckoning struct {
	list   []unsettled
	asking [256][]*unsettled
}

// reckon sets the status of the properties by the open obligations. It visits
// each once.
func (j *judge) reckon(r *reckoning, all []Liveness) {
	for i := range r.list {
		for _, w := range r.list[i].property.Waits {
			r.asking[w] = append(r.asking[w], &r.list[i])
		}
	}
	j.ledger.each(func(o *Obligation) {
		for _, u := range r.asking[o.For] {
			u.add(o)
		}
	})
	for i := range r.list {
		u := &r.list[i]
		j.settle(u, &all[u.place])
		for _, w := range u.property.Waits {
			r.asking[w] = r.asking[w][:0]
		}
	}
}

func (u *unsettled) add(o *Obligation) {
	at := min(u.open, MaxWaiting)
	u.open++
	for ; at > 0 && o.opened().place < u.longest[at-1].opened().place; at-- {
		if at < MaxWaiting {
			u.longest[at] = u.longest[at-1]
		}
	}
	if at < MaxWaiting {
		u.longest[at] = o
	}
}

// settle sets the status of one property.
func (j *judge) settle(u *unsettled, to *Liveness) {
	l := &j.ledger
	var last moment
	for _, w := range u.property.Waits {
		met := l.closed(w)
		to.Satisfied += met.count()
		if met.count() > 0 && met.last.place > last.place {
			last = met.last
		}
	}
	to.Open = u.open
	if u.open == 0 {
		to.since(l.stamp(last))
		return
	}
	to.Status = AtRisk
	to.since(l.stamp(u.longest[0].opened()))
	to.Waiting = make([]Waiting, 0, min(u.open, MaxWaiting))
	for _, o := range u.longest[:min(u.open, MaxWaiting)] {
		to.Waiting = append(to.Waiting, j.waiting(o))
	}
}

func (j *judge) waiting(o *Obligation) Waiting {
	since := j.ledger.stamp(o.opened())
	w := Waiting{Action: j.spec.Waits[o.For], Reason: j.reason(o), SinceFile: since.Pos.File, SinceLine: since.Pos.Line, SinceTime: since.time()}
	if o.Of != nil {
		ref := o.Of.Ref()
		w.Kind, w.ID, w.Part = ref.Kind.String(), ref.ID, cmp.Or(ref.Note, ref.Part)
	}
	return w
}

// Object names the object of the obligation, for a sentence.
func (w *Waiting) Object() string {
	switch {
	case w.Kind == "":
		return "the stream"
	case w.Part != "":
		return fmt.Sprintf("%s %s, %s,", w.Kind, w.ID, w.Part)
	}
	return w.Kind + " " + w.ID
}

// overdue returns findings of obligations that are open for longer than the
// deadline at the time of an event.
func (j *judge) overdue(at trace.Pos, clock int64, opts *Options) []Finding {
	if j.machine == nil || clock == noTime {
		return nil
	}
	var found []Finding
	late := func(o *Obligation, waited, deadline time.Duration) {
		asking := j.spec.asking(o.For)
		p := asking[len(asking)-1] // the most specific
		w := j.waiting(o)
		text, reason := w.text(), w.Reason
		if w.Action == p.Name {
			text, reason = p.Predicate+" does not hold", join(reason, j.prompt())
		}
		since := j.ledger.stamp(o.opened())
		text = fmt.Sprintf("%s since %s, %s: longer than the deadline of %s", text, since.Pos, waited, deadline)
		found = append(found, Finding{Kind: OfLiveness, Rule: p.Name, Pos: at, Waiting: &w, Message: join(text, reason)})
		for _, p := range asking {
			j.forfeit(p.Name, since)
		}
	}
	switch {
	case opts.Deadline > 0:
		j.ledger.overdue(clock, int64(opts.Deadline), func(o *Obligation) {
			late(o, time.Duration(clock-max(o.opened().nanos, j.ledger.start)), opts.Deadline)
		})
	case opts.Prompt > 0:
		j.ledger.overduePrompt(clock, int64(opts.Prompt), j.isPrompt, func(o *Obligation, waited int64) {
			late(o, time.Duration(waited), opts.Prompt)
		})
	}
	return found
}

// forfeit notes that the property is violated, whatever follows.
func (j *judge) forfeit(name string, at Stamp) {
	if _, already := j.forfeited[name]; already {
		return
	}
	if j.forfeited == nil {
		j.forfeited = map[string]Stamp{}
	}
	j.forfeited[name] = at
}

// broke notes the temporal properties that a finding violates.
func (j *judge) broke(f *Finding) {
	for i := range j.spec.Temporal {
		if p := &j.spec.Temporal[i]; p.Step != "" && p.Step == f.Rule {
			at := Stamp{Pos: f.Pos, nanos: j.ledger.now.nanos}
			if f.First.Line > 0 {
				at.nanos = noTime // the time of an earlier step is no longer known
			}
			j.forfeit(p.Name, at)
		}
	}
}

// Progress returns the actions that the property requires.
func (s *Spec) Progress(t *Temporal) []string {
	var actions []string
	for _, w := range t.Waits {
		if name := s.Waits[w]; name != t.Name {
			actions = append(actions, name)
		}
	}
	return actions
}

// asking returns the properties that depend on the wait, at least one.
func (s *Spec) asking(w Wait) []*Temporal {
	var asking []*Temporal
	for i := range s.Temporal {
		if slices.Contains(s.Temporal[i].Waits, w) {
			asking = append(asking, &s.Temporal[i])
		}
	}
	return asking
}

func (at Stamp) time() string {
	t := at.At()
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339Nano)
}
