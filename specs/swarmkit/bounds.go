package swarmkit

import "slices"

// Where the merged plans are stuck on a service whose replicas are fixed, two
// counts may show that no order helps. They spare the search of a large step
// what it could not finish.

// hopeless says that the service's guards on counts cannot hold as often as
// the step needs. The step's tasks must be isolated, so that the state's
// counts are those of everything else.
func (b *batch) hopeless() bool {
	var bound []frame
	for _, f := range b.frames {
		if len(f.items) > 0 && f.items[0].change == nil && f.service().isReplicated() && !f.service().remove {
			bound = append(bound, f)
		}
	}
	return slices.ContainsFunc(grouped(bound, (*frame).service), func(frames []frame) bool {
		sv := frames[0].service()
		return b.tooManySlots(sv, frames) || b.tooFewWanted(sv, frames)
	})
}

// tooManySlots: each vslot that is empty before the step and not after it needs
// a CreateSlot after which it is never empty again. At the last of these the
// others exist, and the vslots that are never empty: replicas must be more.
func (b *batch) tooManySlots(sv *service, frames []frame) bool {
	created, always := 0, sv.slots
	for _, f := range frames {
		if sv.vslot(f.items[0].vslot) != nil {
			continue // others are in it: counted already
		}
		was, is, lasts := false, false, false
		for _, t := range f.items {
			was, is, lasts = was || t.was, is || t.is, lasts || t.lasts()
		}
		created += b2i(!was && is)
		always += b2i(lasts)
	}
	return created > 0 && sv.replicas < int64(created+always)
}

// tooFewWanted: each vslot with a task that stays, gets marked for removal and
// cannot have been marked by CleanupTerminated needs a RequestRemoval, after
// which none of its tasks is ever wanted again. At the last of these, what may
// be wanted elsewhere and in that vslot must be more than replicas.
func (b *batch) tooFewWanted(sv *service, frames []frame) bool {
	wanted, largest := sv.wanted, 0
	for _, f := range frames {
		terminated, may, marked := int32(len(f.items)), 0, false
		vs := sv.vslot(f.items[0].vslot)
		if vs != nil {
			terminated += vs.terminated
			may += int(vs.wanted)
		}
		for _, t := range f.items {
			may += b2i(!t.lasts() || t.old.state.Runnable() && t.old.desired.Preceq(Running))
			marked = marked || t.lasts() && t.old.desired != Remove && t.new.desired == Remove
		}
		if marked && terminated <= b.s.maxTerminated {
			largest = max(largest, may)
		} else if vs != nil {
			wanted += may - int(vs.wanted) // those are in sv.wanted
		} else {
			wanted += may
		}
	}
	return largest > 0 && sv.replicas >= int64(wanted+largest)
}
