package portallocator_test

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"tracecheck/specs/internal/oracle"
)

// A walk is a run of the model; now and then a request is refused, or the state
// is stated again.

type walkStep struct {
	action, id string // empty for what is not a step of the model
	from, to   oState
	refused    []oPort // the spec, where it was
	isRefusal  bool
}

type walker struct {
	rng      *rand.Rand
	model    oModel
	state    oState
	ids      []string
	names    []string
	statics  []int
	maxPorts int
}

// randomModel has few of everything, so that endpoints meet.
func randomModel(rng *rand.Rand) walker {
	first := oracle.Pick(rng, []int{30000, 30000, 7, 65530})
	return walker{
		rng:      rng,
		model:    oModel{[]string{"tcp", "udp", "quic"}[:1+rng.IntN(3)], first, first + rng.IntN(4)},
		state:    newOState(),
		ids:      []string{"e1", "e2", "e3", "e4"}[:1+rng.IntN(4)],
		names:    []string{"foo", "bar", ""}[:1+rng.IntN(3)],
		statics:  []int{80, 443, 65535, 1}[:1+rng.IntN(4)],
		maxPorts: 1 + rng.IntN(3),
	}
}

func (w *walker) dynamic() int { return w.model.first + w.rng.IntN(w.model.last-w.model.first+1) }

func (w *walker) port() oPort {
	p := oPort{oracle.Pick(w.rng, w.names), oracle.Pick(w.rng, w.model.protocols), "ingress", 0}
	if oracle.Chance(w.rng, 0.2) {
		p.mode = "host"
	}
	switch w.rng.IntN(10) {
	case 0:
		p.number = w.dynamic()
	case 1, 2, 3, 4:
		p.number = oracle.Pick(w.rng, w.statics)
	}
	return p
}

// spec is a random one, or one that is near to the old one.
func (w *walker) spec(old []oPort) []oPort {
	if len(old) == 0 || oracle.Chance(w.rng, 0.3) {
		spec := make([]oPort, w.rng.IntN(w.maxPorts+1))
		for i := range spec {
			spec[i] = w.port()
		}
		return spec
	}
	spec := slices.Clone(old)
	for range w.rng.IntN(3) {
		switch i := w.rng.IntN(len(spec) + 1); w.rng.IntN(4) {
		case 0:
			if len(spec) < w.maxPorts {
				spec = slices.Insert(spec, i, w.port())
			}
		case 1:
			if i < len(spec) {
				spec = slices.Delete(spec, i, i+1)
			}
		case 2:
			if i < len(spec) {
				spec[i].number = oracle.Pick(w.rng, append([]int{0, 0, w.dynamic()}, w.statics...))
			}
		case 3:
			spec = oracle.Shuffled(w.rng, spec)
		}
	}
	return spec
}

// step makes one step of the model, or a refusal. With stutters, it may leave
// everything as it is.
func (w *walker) step(stutters bool) walkStep {
	for {
		id := oracle.Pick(w.rng, w.ids)
		old, exists := w.state.endpoints[id]
		var steps []oStep
		spec := w.spec(old.spec)
		if exists && oracle.Chance(w.rng, 0.2) {
			steps = w.model.actionsOn(w.state, id, nil)
		} else if steps = w.model.actionsOn(w.state, id, [][]oPort{spec}); exists {
			steps = steps[:len(steps)-1]
		}
		if len(steps) == 0 {
			return walkStep{id: id, from: w.state, to: w.state, refused: spec, isRefusal: true}
		}
		s := oracle.Pick(w.rng, steps)
		if !stutters && s.next.equal(w.state) {
			continue
		}
		step := walkStep{action: s.action, id: id, from: w.state, to: s.next}
		w.state = s.next
		return step
	}
}

// start makes a well-typed state that keeps AllocationsOK and that no run need
// lead to: dynamic ports may have static numbers, and what only a host port
// uses may be allocated, if extras may.
func (w *walker) start(extras bool) {
	w.state = newOState()
	for _, id := range w.ids {
		if oracle.Chance(w.rng, 0.3) {
			continue
		}
		var e oEndpoint
		for range w.rng.IntN(w.maxPorts + 1) {
			spec := w.port()
			p := spec
			if p.asks() {
				if p.number = w.dynamic(); oracle.Chance(w.rng, 0.4) {
					p.number = oracle.Pick(w.rng, w.statics)
				}
			}
			if p.mode == "ingress" && w.state.allocated[p.addr()] {
				continue
			}
			if p.mode == "ingress" {
				w.state.allocated[p.addr()] = true
			}
			e.spec, e.ports = append(e.spec, spec), append(e.ports, p)
		}
		w.state.endpoints[id] = e
	}
	for _, id := range w.state.ids() {
		for _, p := range w.state.endpoints[id].ports {
			if extras && p.mode == "host" && p.number != 0 && oracle.Chance(w.rng, 0.4) {
				w.state.allocated[p.addr()] = true
			}
		}
	}
}

// fill gives all dynamic numbers of a protocol to one endpoint, so that others
// have none.
func (w *walker) fill() {
	var e oEndpoint
	for _, protocol := range w.model.protocols {
		for n := w.model.first; n <= w.model.last; n++ {
			p := oPort{"full" + strconv.Itoa(n), protocol, "ingress", n}
			if !w.state.allocated[p.addr()] {
				w.state.allocated[p.addr()] = true
				e.spec, e.ports = append(e.spec, p), append(e.ports, p)
			}
		}
	}
	w.state.endpoints["full"] = e
}
