package kcpstorage

import (
	"slices"
	"strings"
)

// cluster is a cluster's number in the stream.
type cluster int32

// clusters numbers the clusters that a stream names.
type clusters struct {
	names  []string
	number map[string]cluster
	known  int // elements of CLUSTERS, where the constant gives it: the first of names
}

func newClusters(names []string) *clusters {
	cs := &clusters{number: map[string]cluster{}}
	for _, name := range names {
		cs.find(name)
	}
	cs.known = len(cs.names)
	return cs
}

// find returns the cluster of that name, numbered where it is new.
func (cs *clusters) find(name string) cluster {
	c, ok := cs.number[name]
	if !ok {
		c = cluster(len(cs.names))
		name = strings.Clone(name)
		cs.names = append(cs.names, name)
		cs.number[name] = c
	}
	return c
}

// has is c \in CLUSTERS. Where the constant is not given, that is every cluster
// that the stream has shown.
func (cs *clusters) has(c cluster) bool { return cs.known == 0 || int(c) < cs.known }

// cardinality is Cardinality(CLUSTERS). The text assumes that it is not 0.
func (cs *clusters) cardinality() int {
	if cs.known > 0 {
		return cs.known
	}
	return max(1, len(cs.names))
}

// mapping maps clusters to SyncStates: what is not nil, by cluster.
type mapping []entry

type entry struct {
	cluster cluster
	state   SyncState
}

func (m mapping) place(c cluster) (int, bool) {
	i, end := 0, len(m)
	for i < end {
		if middle := (i + end) / 2; m[middle].cluster < c {
			i = middle + 1
		} else {
			end = middle
		}
	}
	return i, i < len(m) && m[i].cluster == c
}

func (m mapping) of(c cluster) SyncState {
	if i, ok := m.place(c); ok {
		return m[i].state
	}
	return Nil
}

// with sets a cluster's state, in place where there is room.
func (m mapping) with(c cluster, s SyncState) mapping {
	i, ok := m.place(c)
	switch {
	case ok && s == Nil:
		return slices.Delete(m, i, i+1)
	case ok:
		m[i].state = s
	case s != Nil:
		return slices.Insert(m, i, entry{c, s})
	}
	return m
}

func (m mapping) equal(o mapping) bool { return slices.Equal(m, o) }

// syncs is Cardinality({c \in CLUSTERS : m[c] = "Sync"}).
func (m mapping) syncs() int {
	n := 0
	for i := range m {
		if m[i].state == Sync {
			n++
		}
	}
	return n
}

// differences calls f for each cluster in which the two differ.
func (m mapping) differences(o mapping, f func(c cluster, from, to SyncState)) {
	i, j := 0, 0
	for i < len(m) || j < len(o) {
		switch {
		case j == len(o) || i < len(m) && m[i].cluster < o[j].cluster:
			f(m[i].cluster, m[i].state, Nil)
			i++
		case i == len(m) || o[j].cluster < m[i].cluster:
			f(o[j].cluster, Nil, o[j].state)
			j++
		default:
			if m[i].state != o[j].state {
				f(m[i].cluster, m[i].state, o[j].state)
			}
			i++
			j++
		}
	}
}

// sole is the number of a mapping in which at most one cluster has a state, and
// that is Sync: the cluster's, or none. Others have no number of their own.
func (m mapping) sole() cluster {
	switch {
	case len(m) == 0:
		return none
	case len(m) == 1 && m[0].state == Sync:
		return m[0].cluster
	}
	return several
}

// What sole returns for all nil, and for what is neither that nor one Sync.
const (
	none    cluster = -1
	several cluster = -2
)
