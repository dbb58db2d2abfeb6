package workerimpl

import (
	"slices"
	"strings"

	"tracecheck/validators/model"
)

// auto is the item's automaton for the instance of worker n, and with the
// claims, or without. allowed are the versions that CreateTask may make at the start.
func (b *batch) auto(i int, n *node, claimed bool, allowed code) *auto {
	it := &b.items[i]
	key := b.key(it, n)
	key.from |= allowed
	var claims []claim
	if claimed {
		claims = it.claimed()
		for _, c := range claims {
			key.claims += c.kind.String() + " " + c.actor + " " + c.action + ";"
		}
	}
	return memo(b.autos, key, func() *auto {
		a := &auto{autoKey: key, claims: claims}
		a.subsets = construct[code](a, &b.left)
		a.set([]code{a.from})
		return a
	})
}

// claimed lists the item's claims, each once.
func (it *item) claimed() []claim {
	var claims []claim
	for _, ev := range it.claims {
		c := claim{ev.Kind, ev.Actor, ev.Action}
		if len(claims) < maxClaims && !slices.Contains(claims, c) {
			c.actor, c.action = strings.Clone(c.actor), strings.Clone(c.action)
			claims = append(claims, c)
		}
	}
	return claims
}

func (b *batch) key(it *item, n *node) autoKey {
	k := autoKey{moves: it.moves, lasts: !it.moves || it.lasts()}
	differs := it.moves && !(it.was && it.is && it.old == it.new)
	// Where the nodes are that the item's task is on.
	where := func(at *node) place {
		switch {
		case at == nil:
			return unassigned
		case at == n:
			return atWorker
		case it.was && at == it.old.node:
			return atOld
		}
		return atNew
	}
	see := func(at *node) {
		if at != nil {
			p := where(at)
			k.in[p], k.up[p] = at.shown, at.isUp()
		}
	}
	if n != b.s.elsewhere {
		see(n)
	}
	it.setVersions(&k, where, see)
	if it.was {
		k.from = code(0).withTask(it.old.state).withPlace(where(it.old.node))
		see(it.old.node)
		if !it.moves || it.old.isStuck() {
			k.desired = it.old.desired
		}
	}
	if it.is {
		k.to = code(0).withTask(it.new.state).withPlace(where(it.new.node))
		see(it.new.node)
		if k.versions[1].is {
			k.to |= 1 << versionAt
		}
		// UpdateTask to the same state would set the node.
		k.never = differs && it.new.isStuck()
	}
	if it.moves && !k.lasts {
		// Whether there is another node than the worker, and whether one of these is up, or may be.
		k.in[atSpare], k.up[atSpare] = b.s.shown > model.BoolInt(n.shown), b.ups > model.BoolInt(n.isUp())
	}
	if differs && it.remade {
		k.need |= taskAbsent
	}
	it.setContainer(&k, n)
	return k
}

// setVersions says which Ids the item's task may have: that of the step's old
// state, or of its new one, or both.
func (it *item) setVersions(k *autoKey, where func(*node) place, see func(*node)) {
	if !it.moves {
		if it.was {
			k.versions[0] = version{is: true, global: it.old.isGlobal()}
		}
		return
	}
	of := func(v *taskValue) version {
		if !v.isGlobal() {
			return version{is: true}
		}
		return version{is: true, global: true, at: where(v.node)}
	}
	switch second := it.is || !it.was; {
	case it.was:
		k.versions[0] = of(&it.old)
		if second && !it.old.sameID(&it.new) {
			k.versions[1] = of(&it.new)
		}
	default:
		k.versions[0] = of(&it.new)
	}
	for _, v := range []*taskValue{&it.old, &it.new} {
		if v.isGlobal() {
			see(v.node)
		}
	}
}

// setContainer says what the item's container on the worker was and becomes.
func (it *item) setContainer(k *autoKey, n *node) {
	k.contLasts = true
	if it.hasCont && it.cont.node == n {
		k.from = k.from.withCont(it.cont.state)
		k.to = k.to.withCont(it.cont.state)
	}
	c := it.on(n)
	if c == nil {
		return
	}
	k.contMoves, k.contLasts = true, c.lasts()
	k.to = k.to.withCont(noContainer)
	if c.is {
		k.to = k.to.withCont(c.new.state)
	}
	if c.remade && c.old != c.new {
		k.need |= contAbsent
	}
}

// symbols are those that the instance may take, given what the step leaves as
// it is: nothing of that may change.
func (b *batch) symbols(n *node) []symbol {
	if n == b.s.elsewhere {
		return nil
	}
	return memo(b.alphas, alphaKey{n, b.claims}, func() []symbol { return b.findSymbols(n) })
}

type alphaKey struct {
	node   *node
	claims bool
}

func (b *batch) findSymbols(n *node) (symbols []symbol) {
	left := n.wholes
	reboots := false
	for _, i := range b.own[n] {
		it := &b.items[i]
		of := b.s.shareOn(n, it.unit)
		of.add(&left, -1)
		for _, ev := range it.claims {
			reboots = reboots || ev.Kind == kindContainer && ev.Action == workerReboot.Name
		}
	}
	for l, a := range wholes {
		if left[l] == (count{}) && a.links(n) && (a != workerReboot || b.claims && reboots) {
			symbols = append(symbols, symbol(l))
		}
	}
	return symbols
}
