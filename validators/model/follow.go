package model

import (
	"tracecheck/trace/codec"
	"tracecheck/validators"
)

// follow brings the ledger up to date with what the step changed.
func (k *Kind[S, R]) follow(s *S, l *validators.Ledger) {
	for _, c := range k.Rows(s).touched {
		switch {
		case c.Row == nil:
		case k.dynamic() && !c.Shown:
			for i, held := range c.Row.waits {
				if held != nil {
					c.Row.waits[i] = l.Set(held, validators.Want{})
				}
			}
		default:
			k.followRow(s, c.Row, l)
		}
	}
}

func (k *Kind[S, R]) followRow(s *S, r *Row[R], l *validators.Ledger) {
	var status Statuses
	if k.status != nil {
		status = 1 << k.status.value(&r.Value)
	}
	for i := range k.Waits {
		if w := k.waits(s, r, status, i); w != nil {
			r.waits[i] = l.Set(r.waits[i], validators.Want{For: w.For, Of: r, Gate: w.gate(s), Stage: w.stage(r)})
		} else if r.waits[i] != nil {
			r.waits[i] = l.Set(r.waits[i], validators.Want{})
		}
	}
}

// waits is what of the i-th list the object waits for; nil: nothing.
func (k *Kind[S, R]) waits(s *S, r *Row[R], status Statuses, i int) *Wait[S, R] {
	list := k.Waits[i]
	for n := range list {
		if w := &list[n]; (w.Status == 0 || w.Status&status != 0) && (w.Is == nil || w.Is(s, r)) {
			return w
		}
	}
	return nil
}

func (w *Wait[S, R]) gate(s *S) *validators.Gate {
	if w.Gate == nil {
		return nil
	}
	return w.Gate(s)
}

func (w *Wait[S, R]) stage(r *Row[R]) int32 {
	if w.Stage == nil {
		return 0
	}
	return w.Stage(r)
}

// followShown follows what a run of snapshots has shown.
func (k *Kind[S, R]) followShown(s *S, l *validators.Ledger) {
	t := k.Rows(s)
	if l != nil {
		for _, r := range t.shown {
			k.followRow(s, r, l)
		}
	}
	for _, r := range t.shown {
		k.releaseRow(s, r)
	}
	t.shown = nil
}

// followStream follows what is of no object.
func (j *machine[S, P]) followStream() {
	l := j.c.Ledger
	if l == nil {
		return
	}
	for i := range j.of.Gates {
		g := &j.of.Gates[i]
		l.SetGate(g.At(j.s), g.Open(j.s))
	}
	for i := range j.of.Stream {
		if w := &j.of.Stream[i]; w.Is(j.s) {
			j.waits[i] = l.Set(j.waits[i], validators.Want{For: w.For, Stage: w.stage(j.s)})
		} else if j.waits[i] != nil {
			j.waits[i] = l.Set(j.waits[i], validators.Want{})
		}
	}
}

func (w *StreamWait[S]) stage(s *S) int32 {
	if w.Stage == nil {
		return 0
	}
	return w.Stage(s)
}

// codeWaits writes what waits as it was before a run of snapshots, which is
// followed at its end, and asks for what else does.
func (k *Kind[S, R]) codeWaits(s *S, c *codec.Codec, l *validators.Ledger) {
	t := k.Rows(s)
	shown := map[*Row[R]]bool{}
	for _, r := range t.shown {
		if c.Err() != nil {
			return
		}
		shown[r] = true
		for i, list := range k.Waits {
			wants := make([]validators.Want, len(list))
			for n := range list {
				wants[n] = validators.Want{For: list[n].For, Of: r, Gate: list[n].gate(s), Stage: list[n].stage(r)}
			}
			r.waits[i] = l.Held(c, r.waits[i], wants...)
		}
	}
	if !c.Reading() || c.Err() != nil || l == nil {
		return
	}
	for _, r := range t.all.All() {
		if !shown[r] {
			k.followRow(s, r, l)
		}
	}
}
