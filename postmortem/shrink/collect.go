package shrink

import (
	"errors"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"tracecheck/postmortem/replay"
	"tracecheck/trace"
	"tracecheck/validators"
)

// collector gathers the last steps of the violation's stream up to the one that
// breaks the rule, and the state before them. It is the trace.Sink of its own
// sequencer.
type collector struct {
	jury   *jury
	judge  *validators.Options
	stream string
	at     trace.Pos // the last line of the step that breaks the rule
	event  trace.Pos // the line that breaks the rule
	most   int       // the number of steps kept before it
	beyond bool      // also keep the steps after it: the violation may show only then
	named  bool      // keep the names of transactions: a store's version may count

	seq     trace.Sequencer
	given   string        // the stream's meta line
	base    replay.Stream // the state before units
	whole   bool          // base is the start of the stream
	fell    bool          // older units were added to base
	units   []*unit
	first   int // the number of units in base
	broken  int // the number of units up to the violating one; 0: not reached yet
	object  objectKey
	several bool  // several objects have this position
	run     *unit // of snapshots, open
	unit    *unit // being added
	count   int   // number of units so far
	over    bool  // the state was lost after the violation
	story   *story
}

func newCollector(j *jury, v *validators.Violation, judge *validators.Options, most int, beyond bool) *collector {
	c := &collector{
		jury: j, judge: judge, stream: v.Stream, at: trace.Pos{File: v.File, Line: v.LastLine},
		event: trace.Pos{File: v.File, Line: v.Line}, most: most, beyond: beyond, whole: true,
	}
	if v.LastFile != "" {
		c.at.File = v.LastFile
	}
	c.base = replay.Stream{Name: v.Stream, Initially: j.spec.Initially()}
	// Also if a gap ends the run of its recording: the violation may be in a later recording.
	c.seq.OnGap, c.seq.Remember = trace.ResyncOnGap, judge.Remember
	return c
}

var errFound = errors.New("the violation's step has come")

// push takes the trace's next events.
func (c *collector) push(events []trace.Event) error {
	for i := range events {
		if events[i].Stream != c.stream {
			continue
		}
		if err := c.seq.Push(&events[i], c); err != nil {
			return err
		}
	}
	c.seq.Own()
	return nil
}

// close ends the stream.
func (c *collector) close() error { return c.seq.Close(c) }

// Meta implements trace.Sink.
func (c *collector) Meta(ev *trace.Event) error {
	if c.broken > 0 || ev.Raw == c.given {
		return nil
	}
	before, err := c.meta()
	if err != nil {
		return err
	}
	c.given = strings.Clone(ev.Raw)
	now, err := c.meta()
	for err == nil && !slices.Equal(now.constants, before.constants) && len(c.units) > c.first {
		c.fall() // other constants apply from here on
	}
	return err
}

// Begin implements trace.Sink.
func (c *collector) Begin() error {
	if c.broken > 0 {
		return errFound
	}
	c.base, c.given = replay.Stream{Name: c.stream, Initially: c.base.Initially}, ""
	c.units, c.first, c.run, c.whole, c.fell = nil, 0, nil, true, false
	return nil
}

// Lost implements trace.Sink.
func (c *collector) Lost(*trace.Error) {
	if c.broken > 0 {
		c.over = true
		return
	}
	c.base.Lost(nil)
	c.units, c.first, c.run, c.whole, c.fell = nil, 0, nil, false, false
}

// Snapshot implements trace.Sink.
func (c *collector) Snapshot(ev *trace.Event) error {
	if c.over {
		return errFound
	}
	if c.run == nil {
		c.begin()
		c.run = c.unit
	}
	c.unit = c.run
	c.add(ev)
	return nil
}

// SnapshotsEnd implements trace.Sink.
func (c *collector) SnapshotsEnd() error {
	c.unit, c.run = c.run, nil
	return c.end()
}

// Step implements trace.Sink.
func (c *collector) Step(step *trace.Step) error {
	c.begin()
	for i := range step.Events {
		c.add(&step.Events[i])
	}
	return c.end()
}

func (c *collector) begin() {
	c.count++
	c.unit = &unit{number: c.count, origin: c.count}
}

func (c *collector) add(ev *trace.Event) {
	c.unit.last.Line = ev.Pos.Line
	c.unit.tx = rawTx(ev.Tx)
	if c.unit.last.File != ev.Pos.File {
		c.unit.last.File = strings.Clone(ev.Pos.File)
	}
	if ev.Pos == c.at && c.broken == 0 {
		c.broken = -1 // this unit
	}
	if ev.Pos == c.event {
		c.several = c.object.kind != trace.KindNone // all lines of an ITF state have its number
		c.object = objectKey{ev.Kind, strings.Clone(ev.ID)}
	}
	if !c.jury.slice && !c.jury.spec.Reads(ev.Kind) {
		return // a slice keeps its lines unchanged, including seq
	}
	if c.jury.foreign[ev.Action] && !(c.jury.claim && ev.Pos == c.event) {
		c.unit.lines = append(c.unit.lines, unclaimed(ev))
		return
	}
	c.unit.lines = append(c.unit.lines, verbatim(ev))
}

// end adds a complete unit.
func (c *collector) end() error {
	if len(c.unit.lines) > 0 {
		c.units = append(c.units, c.unit)
	}
	if c.broken == -1 {
		c.broken = len(c.units)
		if !c.beyond {
			return errFound
		}
	}
	if c.broken == 0 && len(c.units)-c.first > c.most {
		c.fall()
	}
	return nil
}

// fall adds the oldest unit to the state.
func (c *collector) fall() {
	u := c.units[c.first]
	for _, l := range u.lines {
		c.base.Apply(&l.event)
	}
	c.units[c.first] = nil
	c.whole, c.fell = false, true
	if c.first++; c.first > c.most {
		c.units = append(c.units[:0], c.units[c.first:]...)
		c.first = 0
	}
}

// rawTx returns the transaction's name as JSON.
func rawTx(tx trace.Tx) string {
	if tx.Text() != "" {
		return string(gjson.AppendJSONString(nil, tx.Text()))
	}
	return tx.String()
}

// unclaimed returns the event's line without its claims.
func unclaimed(ev *trace.Event) *line {
	var members []field
	gjson.Parse(ev.Raw).ForEach(func(key, value gjson.Result) bool {
		if key.Str != "actor" && key.Str != "action" {
			members = append(members, field{name: key.Str, value: value.Raw})
		}
		return true
	})
	return decodedLine(appendObject(nil, members))
}
