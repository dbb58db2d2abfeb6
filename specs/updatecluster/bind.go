package updatecluster

import (
	"tracecheck/trace"
	"tracecheck/validators"
)

// binder makes the pair of a step. Nothing of the state changes but that it
// notes which variables the stream logs.
type binder struct {
	pair
	touched []requestChange // every request that the step names, those that differ first
	cl      clusterLine     // what the step says of the cluster
	clLine  int             // the last event that says it; -1: none
	index   map[string]int  // of touched, in steps of many events
	faults  validators.Faults
	taken   bool // under --attach: the step shows an object for the first time, and is taken as it is
}

// few is how many events of a step are searched one by one.
const few = 8

// kept bounds the buffers that stay after a large step.
const kept = 1024

func (b *binder) reset(s *state) {
	if cap(b.touched) > kept {
		b.touched, b.index = nil, nil
	}
	clear(b.touched) // their strings point into lines that die
	clear(b.index)
	b.touched, b.faults, b.taken = b.touched[:0], b.faults[:0], false
	b.cl, b.clLine = clusterLine{clusterValue: s.cluster}, -1
	b.pair = pair{was: &s.vars, s: s}
}

func (m *machine) bind(step *trace.Step) {
	b, s := &m.binder, m.s
	b.reset(s)
	many := len(step.Events) > few
	if many && b.index == nil {
		b.index = map[string]int{}
	}
	for i := range step.Events {
		ev := &step.Events[i]
		if ev.Op == trace.OpReject {
			continue // records that nothing happened
		}
		switch ev.Kind {
		case trace.KindRequest:
			m.bindRequest(ev, i, many)
		case trace.KindCluster:
			m.bindCluster(ev, i)
		}
	}
	b.finish()
}

func (m *machine) bindRequest(ev *trace.Event, i int, many bool) {
	b := &m.binder
	c := b.find(m.s, ev.ID, many)
	c.line = i
	switch {
	case ev.Op == trace.OpDelete:
		b.faults.Add(validators.OfTransition, i, named(ev)+": no action deletes a request (Reqs is a constant)")
		c.shown, c.new = false, initRequest
		return
	case m.attach && !c.had && !c.shown: // first sight
		b.taken = true
		c.new = requestValue{queue: open, unseen: unseenRequest}
		if ev.Op == trace.OpCreate {
			c.new = newRequest()
		}
	case ev.Op == trace.OpCreate:
		if c.shown {
			b.faults.Add(validators.OfTransition, i, named(ev)+": create of a request that exists")
		}
		c.new = newRequest()
	}
	c.shown = true
	was := c.new.bad
	m.s.mergeRequest(&c.new, ev.Fields)
	c.inferred = !m.s.queueLogged
	c.logged = c.logged || ev.Fields.Get(trace.FieldQueued).Type != trace.Absent
	if c.new.bad&^was != 0 || ev.Op == trace.OpCreate && c.new.bad != 0 {
		b.faults.Add(validators.OfType, i, typeError(ev, c.new.bad))
	}
	if c.old.unseen|c.new.unseen != 0 {
		b.taken = true
	}
}

// find returns the change of the request, made where there is none yet.
func (b *binder) find(s *state, id string, many bool) *requestChange {
	if many {
		if i, ok := b.index[id]; ok {
			return &b.touched[i]
		}
		b.index[id] = len(b.touched)
	} else {
		for i := range b.touched {
			if b.touched[i].id == id {
				return &b.touched[i]
			}
		}
	}
	c := requestChange{id: id, old: initRequest, new: initRequest}
	if r := s.requests.Get(id); r != nil {
		c.id, c.record, c.old, c.new, c.had, c.shown = r.id, r, r.requestValue, r.requestValue, true, true
	}
	b.touched = append(b.touched, c)
	return &b.touched[len(b.touched)-1]
}

func (m *machine) bindCluster(ev *trace.Event, i int) {
	b := &m.binder
	first := !m.s.clusterShown && b.clLine < 0
	b.clLine = i
	switch {
	case ev.Op == trace.OpDelete:
		b.faults.Add(validators.OfTransition, i, "no action deletes the cluster")
		return
	case m.attach && first:
		b.taken = true
	case ev.Op == trace.OpCreate && !first:
		b.faults.Add(validators.OfTransition, i, "create of the cluster, which exists")
	}
	if ev.Op == trace.OpCreate {
		b.cl = clusterLine{clusterValue: clusterValue{bad: wholeCluster}}
	}
	was := b.cl.marks()
	b.cl.merge(ev.Fields)
	if bad := b.cl.marks(); bad&^was != 0 || ev.Op == trace.OpCreate && bad != 0 {
		b.faults.Add(validators.OfType, i, typeError(ev, bad))
	}
}

// newRequest is what a create begins with: every field is to come, and queued
// may be left out.
func newRequest() requestValue {
	v := requestValue{queue: out}
	v.bad = wholeRequest
	return v
}

// finish sorts out what differs.
func (b *binder) finish() {
	n := 0
	b.queuedValid = b.s.validIn
	for i := range b.touched {
		c := &b.touched[i]
		c.was, c.is = c.old.queue, c.new.queue
		if c.old.status == Valid && c.was&in != 0 && c.is&in == 0 {
			b.queuedValid--
		}
		if c.differs() {
			b.touched[n], b.touched[i] = b.touched[i], b.touched[n]
			n++
		}
	}
	b.requests = b.touched[:n]
	b.cluster = b.cl.clusterValue
	b.last, b.logsLast, b.badLast = b.cl.last, b.cl.logsLast, b.cl.badLast
	b.conf, b.badConf = b.cl.conf, b.cl.badConf
}
