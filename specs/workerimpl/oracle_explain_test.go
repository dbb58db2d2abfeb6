package workerimpl_test

import "slices"

// opinion is what one instance makes of a step.
type opinion struct {
	explained answer
	refined   bool
	claims    answer
	by        map[string]bool
}

func (j *judging) ask(c *change, worker int8) opinion {
	before, after := c.ends()
	o := opinion{refined: true}
	if before.seenBy(worker) == after.seenBy(worker) {
		o.explained, o.claims, o.by = yes, yes, nil
		return o
	}
	o.by = explains(before, after, worker)
	if len(o.by) > 0 {
		o.explained = yes
	}
	if j.batched && c.remakes() {
		o.explained, o.by = no, map[string]bool{} // no one action does it
	}
	if !j.batched {
		o.refined = refinesWorkerSpec(before, after, worker)
		return o
	}
	if o.explained == yes && len(c.claims) == 0 {
		return o
	}
	b := c.batch(worker, j.cap)
	if o.claims = b.explained(); o.claims == yes {
		o.explained = yes
	} else if o.explained != yes {
		b.claims = nil
		o.explained = b.explained()
	}
	return o
}

// couldBe says whether the node can have been the worker from the start, with the line
// of the first step that says no.
func (j *judging) couldBe(n int8) (answer, int) {
	for i := range j.history {
		past := &j.history[i]
		o, known := past.asked[n]
		if !known {
			o = j.ask(past, n)
			past.asked[n] = o
		}
		switch {
		case o.explained == unknown:
			return unknown, 0
		case o.explained == no || !o.refined:
			return no, i
		}
	}
	return yes, 0
}

// explain judges the step for every worker or, where there is none, for some
// candidate.
func (j *judging) explain(c *change, v *verdict) {
	before, after := c.ends()
	if before == after {
		j.standstill(c, v)
		return
	}
	v.line = c.onlyLine()
	var asked []opinion
	unexplained, unrefined := 0, 0
	for n := range int8(maxNodes) {
		if !j.workers[n] {
			continue
		}
		o := j.ask(c, n)
		switch {
		case o.explained == unknown || o.explained == yes && j.batched && o.claims == unknown:
			v.unknown = true
			return
		case o.explained == no:
			unexplained++
			if !o.refined {
				unrefined++
			}
		case !o.refined:
			v.kinds = append(v.kinds, "property")
		}
		asked = append(asked, o)
	}
	if len(asked) == 0 {
		if asked = j.candidates(c, v); v.unknown || len(asked) == 0 {
			return
		}
	}
	if unexplained > 0 {
		v.kinds = append(v.kinds, "transition")
		switch {
		case unrefined == unexplained:
			v.kinds = append(v.kinds, "property")
		case unrefined > 0:
			v.open = append(v.open, "property")
		}
		v.kinds = slices.DeleteFunc(v.kinds, func(k string) bool { return k == "property" && unrefined == 0 })
		return
	}
	j.judgeClaims(c, asked, v)
}

// late is what the nodes that are workers from now on could not explain before.
func (j *judging) late(newly []int8, v *verdict) {
	for _, n := range newly {
		ok, i := j.couldBe(n)
		switch ok {
		case unknown:
			v.unknown = true
		case no:
			past := verdict{first: j.history[i].first, last: j.history[i].last, line: j.history[i].onlyLine(), kinds: []string{"transition"}}
			if j.ask(&j.history[i], n).explained == yes {
				past.kinds[0] = "property"
			}
			v.late = append(v.late, past)
		}
	}
}

// candidates are the opinions of the nodes that can be the worker, given that
// none is named yet. There must be one that explains the step.
func (j *judging) candidates(c *change, v *verdict) []opinion {
	nodes := c.before.shown()
	for _, n := range c.after.shown() {
		if !slices.Contains(nodes, n) {
			nodes = append(nodes, n)
		}
	}
	if len(nodes) == 0 {
		nodes = []int8{otherwhere}
	}
	var good, broken, bad []opinion
	for _, n := range nodes {
		was, _ := j.couldBe(n)
		if was == unknown {
			v.unknown = true
			return nil
		}
		if was == no {
			continue
		}
		switch o := j.ask(c, n); {
		case o.explained == unknown || o.explained == yes && j.batched && o.claims == unknown:
			v.unknown = true
			return nil
		case o.explained == no:
			bad = append(bad, o)
		case !o.refined:
			broken = append(broken, o)
		default:
			good = append(good, o)
		}
	}
	switch {
	case len(good) > 0:
		return good
	case len(broken) > 0:
		v.kinds = append(v.kinds, "property")
		return broken
	}
	v.kinds = append(v.kinds, "transition")
	v.open = append(v.open, "property")
	if len(bad) == 1 && len(nodes) == 1 {
		v.open = nil
		if !bad[0].refined {
			v.kinds = append(v.kinds, "property")
		}
	}
	return nil
}

// remakes says that the lines delete an object and then create it, otherwise.
func (c *change) remakes() bool {
	for o, is := range c.remade {
		if is && changedObject(c.before, c.after, o) {
			return true
		}
	}
	return false
}
