package workerimpl

import (
	"fmt"

	"tracecheck/validators"
)

// CheckCounts compares the machine's counts with what its units and nodes give,
// counted again.
func CheckCounts(v validators.Machine) error {
	s := v.(*machine).s
	fresh := newState(s.attach)
	fresh.crowded = s.crowded
	for id, n := range s.nodes.All() {
		c := fresh.node(id)
		c.shown, c.exists, c.up, c.isWorker, c.blame = n.shown, n.exists, n.up, n.isWorker, n.blame
		if n.shown {
			fresh.shown++
		}
		if n.exists {
			fresh.live++
		}
		if n.up {
			fresh.up++
		}
	}
	if s.only != nil {
		fresh.only = fresh.nodes.Get(s.only.id)
	}
	at := func(n *node) *node {
		if n == nil {
			return nil
		}
		return fresh.nodes.Get(n.id)
	}
	for id, u := range s.units.All() {
		c := *u
		c.task.node, c.cont.node = at(u.task.node), at(u.cont.node)
		switch {
		case c.hasTask && u.task.service == s.none:
			c.task.service = fresh.none
		case c.hasTask:
			c.task.service = fresh.service(u.task.service.id)
		}
		if c.id != id || !u.hasTask && !u.hasCont {
			return fmt.Errorf("unit %s is of no use: %+v", id, c)
		}
		of := fresh.unit(id)
		*of = c
		fresh.enter(of)
	}
	for id, n := range s.nodes.All() {
		c := fresh.nodes.Get(id)
		fresh.refresh(c)
		if n.refs != c.refs || n.wholes != c.wholes || n.noted != c.noted {
			return fmt.Errorf("node %s: refs %d, want %d; wholes %v, want %v; noted %v, want %v", id, n.refs, c.refs, n.wholes, c.wholes, n.noted, c.noted)
		}
		if n.refs == 0 && !n.shown {
			return fmt.Errorf("node %s is of no use", id)
		}
	}
	for id, sv := range s.services.All() {
		c := fresh.services.Get(id)
		if c == nil || sv.tasks != c.tasks {
			return fmt.Errorf("service %s: %+v, want %+v", id, sv, c)
		}
	}
	got := [...]int{s.live, s.shown, s.up, s.calm, s.services.Len()}
	want := [...]int{fresh.live, fresh.shown, fresh.up, fresh.calm, fresh.services.Len()}
	if got != want || s.totals[candidate] != fresh.totals[candidate] || s.totals[worker] != fresh.totals[worker] {
		return fmt.Errorf("live, shown, up, calm, services are %v, want %v; totals %v, want %v", got, want, s.totals, fresh.totals)
	}
	return nil
}

// CheckWaits compares what the machine's units and nodes have open with what
// they want.
func CheckWaits(v validators.Machine) error {
	s := v.(*machine).s
	check := func(what string, o *validators.Obligation, w want) error {
		var open want
		if o != nil {
			open = o.Want()
		}
		if open.Stage = w.Stage; open != w {
			return fmt.Errorf("%s waits for %+v, want %+v", what, open, w)
		}
		return nil
	}
	for id, u := range s.units.All() {
		for what, held := range u.waits {
			if err := check(id, held, s.want(u, what)); err != nil {
				return err
			}
		}
	}
	for id, n := range s.nodes.All() {
		for i, w := range n.wants() {
			if err := check(id, n.waits[i], w); err != nil {
				return err
			}
		}
	}
	return nil
}

// Waits is how many kinds of wait a ledger is for.
var Waits = len(waits)
