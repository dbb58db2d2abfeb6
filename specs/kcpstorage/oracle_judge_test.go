package kcpstorage_test

import (
	"maps"
	"slices"

	"tracecheck/specs/internal/oracle"
)

type verdict = oracle.Verdict

// judging follows one stream.
type judging struct {
	batched  bool
	fixed    []string // the constant
	clusters map[string]bool
	spaces   map[string]oracleSpace
	home     map[string]string // of PVCs
	shown    map[string]bool   // objects
	cap      int
}

func newJudging(searchCap int) *judging {
	return &judging{
		clusters: map[string]bool{}, spaces: map[string]oracleSpace{}, home: map[string]string{},
		shown: map[string]bool{}, cap: searchCap,
	}
}

// judge reads a trace of one stream.
func judge(lines []string, searchCap int) verdict {
	j := newJudging(searchCap)
	return oracle.Judge(lines, func(about map[string]any) {
		j.batched = about["steps"] == "batched"
		if constants, ok := about["constants"].(map[string]any); ok {
			for _, c := range constants["clusters"].([]any) {
				j.fixed = append(j.fixed, c.(string))
			}
		}
	}, j.step)
}

// all is CLUSTERS.
func (j *judging) all() []string {
	if j.fixed != nil {
		return j.fixed
	}
	if len(j.clusters) == 0 {
		return []string{"a cluster that no line has shown"}
	}
	return slices.Sorted(maps.Keys(j.clusters))
}

// change is a step on its way: the new states, and what no state allows.
type change struct {
	after    map[string]oracleSpace
	named    map[string]bool // namespaces
	claims   []claim
	badValue bool
	badOp    bool
	homeless bool // a PVC or syncer whose namespace there is no telling
}

type claim struct{ space, object, action string }

func (j *judging) read(run []oracle.Event) change {
	c := change{after: map[string]oracleSpace{}, named: map[string]bool{}}
	for name, s := range j.spaces {
		c.after[name] = s.clone()
	}
	for _, e := range run {
		if e.Kind == "namespace" && e.Op != "reject" {
			j.see(&c, e.ID)
		}
	}
	for _, e := range run {
		if e.Op == "reject" {
			if e.Action != "" && !slices.Contains(oracleActions, e.Action) {
				c.claims = append(c.claims, claim{"", "", e.Action})
			}
			continue
		}
		j.apply(&c, e)
	}
	return c
}

func (j *judging) see(c *change, space string) {
	c.named[space] = true
	if _, ok := j.spaces[space]; !ok {
		j.spaces[space] = newOracleSpace()
		c.after[space] = newOracleSpace()
	}
}

func (j *judging) apply(c *change, e oracle.Event) {
	whole := e.Op == "create" || e.Op == "snapshot"
	space, object := e.ID, "namespace"
	if e.Kind != "namespace" {
		given := e.Object["namespace"]
		name, isName := given.(string)
		switch {
		case isName:
		case given != nil, whole:
			c.badValue = true
			return
		case e.Kind == "pvc" && j.home[e.ID] != "":
			name = j.home[e.ID]
		case len(j.spaces) == 1:
			name = slices.Collect(maps.Keys(j.spaces))[0]
		default:
			c.homeless = true
			return
		}
		space, object = name, e.Kind+" "+e.ID
	}
	j.see(c, space)
	if e.Kind == "pvc" {
		if old := j.home[e.ID]; old != "" && old != space {
			if e.Op != "snapshot" {
				c.badOp = true
				return
			}
			delete(c.after[old].pvcs, e.ID)
			delete(j.spaces[old].pvcs, e.ID)
		}
		j.home[e.ID] = space
		if _, ok := j.spaces[space].pvcs[e.ID]; !ok {
			j.spaces[space].pvcs[e.ID] = states{}
			c.after[space].pvcs[e.ID] = states{}
		}
	}
	if e.Action != "" {
		c.claims = append(c.claims, claim{space, object, e.Action})
	}
	key := e.Kind + "/" + e.ID
	if e.Kind == "syncer" {
		key += "/" + space
		j.cluster(c, e.ID, "explicit")
	}
	c.badOp = c.badOp || e.Op == "delete" || e.Op == "create" && j.shown[key]
	if e.Op == "delete" {
		return
	}
	j.shown[key] = true
	after := c.after[space]
	switch e.Kind {
	case "namespace":
		after.ns = j.patch(c, after.ns, e.Object, whole)
	case "pvc":
		after.pvcs[e.ID] = j.patch(c, after.pvcs[e.ID], e.Object, whole)
	case "syncer":
		v, given := e.Object["pvc_state"]
		switch {
		case given || whole:
			after.syncers = after.syncers.with(e.ID, j.value(c, v))
		}
	}
	c.after[space] = after
}

// cluster notes a cluster's name; a nil that is null names none.
func (j *judging) cluster(c *change, name string, v any) {
	if v != nil && j.fixed != nil && !slices.Contains(j.fixed, name) {
		c.badValue = true
	}
	j.clusters[name] = true
}

func (j *judging) value(c *change, v any) string {
	s, ok := v.(string)
	if v == nil {
		return "nil"
	}
	if !ok || !slices.Contains([]string{"nil", "Empty", "Sync"}, s) {
		c.badValue = true
	}
	return s
}

func (j *judging) patch(c *change, m states, object map[string]any, whole bool) states {
	if whole {
		m = states{}
	}
	v, given := object["clusters"]
	if !given {
		return m
	}
	if v == nil {
		return states{}
	}
	fields, ok := v.(map[string]any)
	if !ok {
		c.badValue = true
		return states{}
	}
	for name, v := range fields {
		j.cluster(c, name, v)
		m = m.with(name, j.value(c, v))
	}
	return m
}
