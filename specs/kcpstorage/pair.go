package kcpstorage

// pair is one namespace's part of a step: the old state, and what differs in
// the new one.
type pair struct {
	clusters *clusters
	space    *space
	was, ns  *value // ns and ns'
	pvcs     []pvcChange
	syncers  []syncerChange
	newPVC   bool // the step shows a PVC for the first time, which was nil before

	// Witnesses, set by Bind of NamespaceController.
	c       cluster // the first that differs
	differ  int     // how many do
	assigns bool    // either: a NS is assigned to c; or: it is removed
}

// pvcChange is a PVC that the step names, before and after.
type pvcChange struct {
	id        string
	space     *space
	old       *value
	new       value
	had       bool // some line before the step has shown it
	shown     bool // and after
	line      int  // of its last event, an index into the step
	part      int
	elsewhere bool // an update says another namespace
}

func (c *pvcChange) differs() bool { return !c.old.equal(&c.new) }

// syncerChange is a syncer that the step names: pvc_state[cluster].
type syncerChange struct {
	cluster    cluster
	space      *space
	old, new   SyncState
	had, shown bool
	line       int
	part       int
}

func (c *syncerChange) differs() bool { return c.old != c.new }

func (p *pair) sameNS() bool { return p.was.equal(p.ns) }

// stutters is UNCHANGED vars.
func (p *pair) stutters() bool { return p.sameNS() && len(p.pvcs) == 0 && len(p.syncers) == 0 }
