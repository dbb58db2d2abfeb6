package swarmkit

import (
	"cmp"
	"maps"
	"slices"

	"tracecheck/trace/codec"
)

// What is written down under the profile moby beside the rest: what Docker
// tells, and the history that the allowances read.

func (p *persister) moment(at *moment) {
	codec.Int(p.Codec, &at.step)
	codec.Int(p.Codec, &at.at)
	codec.Int(p.Codec, &at.silent)
}

// limit is maxTerminated, which may be another when the state is made again.
func (p *persister) limit() {
	limit := p.s.maxTerminated
	codec.Int(p.Codec, &limit)
	h := p.m.history
	codec.Int(p.Codec, &h.limit.lowered)
	codec.Int(p.Codec, &h.limit.was)
	p.moment(&h.limit.changed)
	if p.s.maxTerminated < limit {
		h.limit.lowered = h.now.step
	}
	if p.s.maxTerminated != limit {
		h.limit.changed, h.limit.was = h.now, limit
	}
}

func (p *persister) dockerNode(d *dockerNode) {
	member(p.Codec, &d.status, otherStatus)
	member(p.Codec, &d.availability, drainedNode)
	p.moment(&d.changed)
	p.moment(&d.away)
	p.moment(&d.lost)
}

func (p *persister) dockerService(d *dockerService) {
	member(p.Codec, &d.mode, globalJob)
	for _, is := range [...]*bool{&d.update, &d.rollback, &d.before, &d.constrained, &d.publishes, &d.updating, &d.again} {
		codec.Bool(p.Codec, is)
	}
	p.moment(&d.turned)
	codec.Int(p.Codec, &d.iteration)
	p.moment(&d.iterated)
	codec.Int(p.Codec, &d.maxAttempts)
	codec.Bool(p.Codec, &d.stays)
	codec.Uint(p.Codec, &d.spec)
	p.moment(&d.written)
}

func (p *persister) vacated(slots *map[vacancy]bool) {
	list := slices.SortedFunc(maps.Keys(*slots), func(a, b vacancy) int {
		return cmp.Or(cmp.Compare(a.slot, b.slot), cmp.Compare(a.node, b.node))
	})
	codec.Slice(p.Codec, &list, func(v *vacancy) {
		if p.vacancy(v); p.Reading() {
			if *slots == nil {
				*slots = map[vacancy]bool{}
			}
			(*slots)[*v] = true
		}
	})
}

func (p *persister) vacancy(v *vacancy) {
	codec.Int(p.Codec, &v.slot)
	p.Name(&v.node)
}

// lately is the slots that lost their last task lately, without those of services that are
// no more.
func (p *persister) lately(list *[]vacated) {
	kept := *list
	if !p.Reading() {
		kept = slices.DeleteFunc(slices.Clone(kept), func(v vacated) bool { return p.s.services.Get(v.of.id) != v.of })
	}
	codec.Slice(p.Codec, &kept, func(v *vacated) {
		p.serviceOf(&v.of)
		p.vacancy(&v.vacancy)
		p.moment(&v.at)
	})
	if p.Reading() {
		*list = kept
	}
}

// dockerSlot is of a vslot, which has a task.
func (p *persister) dockerSlot(vs *vslot) {
	if vs == nil {
		p.Fail("a slot has no task")
		return
	}
	p.moment(&vs.docker.ceased)
	dirty := vs.docker.dirty
	if codec.Bool(p.Codec, &dirty); p.Reading() {
		p.s.soil(vs, dirty)
	}
}

func (p *persister) past(past *past) {
	p.moment(&past.born)
	codec.Bool(p.Codec, &past.seen)
	codec.Bool(p.Codec, &past.may)
	codec.Uint(p.Codec, &past.spec)
	codec.Uint(p.Codec, &past.ended)
	codec.Uint(p.Codec, &past.written)
	codec.Uint(p.Codec, &past.ceased)
	codec.Slice(p.Codec, &past.replaced, p.replacedTask)
	if p.Reading() && len(past.replaced) > 0 {
		p.replacements = append(p.replacements, past)
	}
}

// replacedTask is by its id, as it may not have been read yet; of one that was
// deleted nothing else is asked any more.
func (p *persister) replacedTask(of **task) {
	t := *of
	if t == nil {
		t = &task{extra: newExtra()}
		*of = t
	}
	codec.String(p.Codec, &t.id)
	deleted := t.past.deleted && (t.past.deletedIn == 0 || t.past.deletedIn != p.s.records.Writing())
	if codec.Bool(p.Codec, &deleted); p.Reading() {
		t.past.deleted = deleted
	}
}

// history is the rest, when all tasks are there.
func (p *persister) history() {
	for _, past := range p.replacements {
		for i, t := range past.replaced {
			if t.past.deleted {
				continue
			}
			if past.replaced[i] = p.s.tasks.Get(t.id); past.replaced[i] == nil {
				p.Fail("task %q was replaced, and is not known", t.id)
			}
		}
	}
	h := p.m.history
	codec.Slice(p.Codec, &h.versions, p.version)
	p.lately(&h.vacated)
	codec.Int(p.Codec, &h.read)
	codec.Int(p.Codec, &h.shown)
	codec.Int(p.Codec, &h.leader.silence)
	codec.Int(p.Codec, &h.leader.missed)
	p.moment(&h.leader.marked)
	h.leader.line.Code(p.Codec)
	codec.Slice(p.Codec, &h.credits, p.credit)
	p.log(&h.log)
}

// version is one of a service; they are in the order in which they ended.
func (p *persister) version(of **version) {
	*of = cmp.Or(*of, &version{})
	v := *of
	p.serviceOf(&v.of)
	serviceTable.code(p.s, p.Codec, &v.value)
	p.dockerService(&v.docker)
	existed := true // no other version is kept
	codec.Bool(p.Codec, &existed)
	p.moment(&v.until)
	p.vacated(&v.vacated)
	if p.Reading() && v.of != nil {
		v.of.recent = append(v.of.recent, v)
	}
}
