package kcpstorage_test

import (
	"maps"
	"slices"
	"strconv"

	"tracecheck/specs/internal/oracle"
)

// step judges one run of neighbouring lines and moves on.
func (j *judging) step(run []oracle.Event) verdict {
	v := verdict{First: run[0].Line, Last: run[len(run)-1].Line}
	c := j.read(run)
	add := func(kind string) {
		if !slices.Contains(v.Kinds, kind) {
			v.Kinds = append(v.Kinds, kind)
		}
	}
	for _, cl := range c.claims {
		if !slices.Contains(oracleActions, cl.action) {
			add("claim")
		}
	}
	known := slices.DeleteFunc(slices.Clone(c.claims), func(cl claim) bool { return !slices.Contains(oracleActions, cl.action) })
	switch {
	case c.homeless:
		v.Unknown = true
	case c.badValue:
		v.Kinds, v.Open = []string{"type"}, []string{"claim", "invariant", "transition"}
		return v
	case c.badOp:
		v.Kinds, v.Open = []string{"transition"}, []string{"claim", "invariant"}
		return v
	case run[0].Op != "snapshot":
		for _, name := range slices.Sorted(maps.Keys(c.named)) {
			of := slices.DeleteFunc(slices.Clone(known), func(cl claim) bool { return cl.space != name })
			switch explained, claimed, unknown := j.explain(j.spaces[name], c.after[name], of); {
			case unknown:
				v.Unknown = true
			case !explained:
				add("transition")
			case !claimed:
				add("claim")
			}
		}
	}
	for name := range c.named {
		if c.after[name].breaks() {
			add("invariant")
		}
	}
	j.spaces = c.after
	slices.Sort(v.Kinds)
	if len(v.Kinds) == 0 && !v.Unknown {
		return verdict{}
	}
	return v
}

// explain says whether the namespace's part of the step is explained, and by
// what its lines claim.
func (j *judging) explain(from, to oracleSpace, claims []claim) (explained, claimed, unknown bool) {
	clusters := j.all()
	if from.key() == to.key() {
		labels := map[string]bool{"PVCController": len(from.pvcs) == 0 && len(from.ns) == 0}
		for _, n := range from.successors(clusters) {
			labels[n.action] = labels[n.action] || n.to.key() == from.key()
		}
		return true, !slices.ContainsFunc(claims, func(c claim) bool { return !labels[c.action] }), false
	}
	if j.batched {
		return j.batch(from, to, claims)
	}
	for _, n := range from.successors(clusters) {
		if n.to.key() == to.key() {
			explained = true
			claimed = claimed || !slices.ContainsFunc(claims, func(c claim) bool { return c.action != n.action })
		}
	}
	return explained, claimed, false
}

// batch is a breadth-first walk in which only objects that differ change.
func (j *judging) batch(from, to oracleSpace, claims []claim) (explained, claimed, unknown bool) {
	type node struct {
		s   oracleSpace
		met uint64
	}
	may := differing(from, to)
	goal, full := to.key(), uint64(1)<<len(claims)-1
	seen := map[string]bool{}
	for todo := []node{{from, 0}}; len(todo) > 0; todo = todo[1:] {
		at := todo[0]
		if at.s.key() == goal {
			explained = true
			if at.met == full {
				return true, true, false
			}
		}
		for _, n := range at.s.successors(j.all()) {
			changed := differing(at.s, n.to)
			allowed := true
			for o := range changed {
				allowed = allowed && may[o]
			}
			met := at.met
			for i, c := range claims {
				if c.object == n.object && c.action == n.action && changed[c.object] {
					met |= 1 << i
				}
			}
			key := n.to.key() + strconv.FormatUint(met, 2)
			if allowed && !seen[key] {
				seen[key] = true
				todo = append(todo, node{n.to, met})
			}
		}
		if len(seen) > j.cap {
			return explained, false, true
		}
	}
	return explained, false, false
}
