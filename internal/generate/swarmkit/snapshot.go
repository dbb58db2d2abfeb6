package swarmkit

// settle makes a state as a swarm has that has run for a while: each service
// has its slots, most of their tasks run, and some have ended.
func (w *Walk) settle() {
	w.grown = true
	for w.tasks < w.objects {
		sv := w.newService(w.size())
		w.fileService(sv, true)
		w.Begin(sv)
		for w.create.Has(sv) && w.tasks < w.objects {
			w.settleSlot(w.open(sv))
		}
		if w.create.Has(sv) && !sv.isGlobal() { // enough tasks
			sv.replicas = int64(sv.slots.Len())
			w.fileService(sv, true)
		}
	}
}

func (w *Walk) settleSlot(v *vslot) {
	if w.maxTerminated > 0 && w.r.Chance(150) {
		w.settleTask(v, complete+state(w.r.N(4)))
	}
	if w.tasks < w.objects || len(v.tasks) == 0 {
		to := running
		if w.r.Chance(60) {
			to = stNew + state(w.r.N(int(running)))
		}
		w.settleTask(v, to)
	}
}

func (w *Walk) settleTask(v *vslot, to state) {
	t := w.newTask(v, running)
	if t.isTerminated() {
		t.desired = shutdown
	}
	if to >= assigned && t.node == nil {
		t.node = w.nodes[w.r.N(len(w.nodes))]
	}
	t.state = to
	w.file(t)
	w.Begin(t)
}
