// Package kcpstorage walks kcpStorage.tla: namespaces, their PVCs and the
// clusters' syncers. Each namespace is a separate run of the module.
package kcpstorage

import (
	"strconv"

	"tracecheck/internal/generate/walk"
	"tracecheck/internal/kinds"
	"tracecheck/trace"
)

// none is no cluster: what is "nil" everywhere.
const none = -1

// mapping is a function from CLUSTERS that is "Sync" for one, or for none.
type mapping struct {
	cluster int // that is "Sync"
	before  int // the one before the last change, which is "nil" now
}

func (m *mapping) set(cluster int) { m.before, m.cluster = m.cluster, cluster }

// space is a namespace, with all that belongs to it.
type space struct {
	walk.Mark
	w       *Walk
	id      int
	ns      mapping
	pvcs    []*pvc
	syncers []*syncer // by cluster; nil: not touched yet
	holder  int       // the cluster whose pvc_state is "Sync"
	held    bool      // the walk leaves it alone, since it is to wait
}

// pvc is a PVC of the namespace.
type pvc struct {
	walk.Mark
	space *space
	n     int
	value mapping
}

// syncer is a process Syncer of the namespace.
type syncer struct {
	walk.Mark
	space   *space
	cluster int
	sync    bool // pvc_state
}

func (sp *space) Kind() trace.Kind { return kinds.Namespace }
func (p *pvc) Kind() trace.Kind    { return kinds.PVC }
func (y *syncer) Kind() trace.Kind { return kinds.Syncer }

func (sp *space) AppendID(b []byte) []byte {
	return strconv.AppendInt(append(b, "ns"...), int64(sp.id)+1, 10)
}

func (p *pvc) AppendID(b []byte) []byte {
	return strconv.AppendInt(append(p.space.AppendID(b), "-pvc"...), int64(p.n)+1, 10)
}

func (y *syncer) AppendID(b []byte) []byte {
	name := y.space.w.clusters[y.cluster]
	return append(b, name[1:len(name)-1]...)
}

func (sp *space) AppendFields(b []byte, f walk.Fields) []byte {
	return append(sp.w.appendClusters(append(b, '{'), &sp.ns, f), '}')
}

func (p *pvc) AppendFields(b []byte, f walk.Fields) []byte {
	b = p.space.AppendID(append(b, `{"namespace":"`...))
	return append(p.space.w.appendClusters(append(b, `",`...), &p.value, f), '}')
}

func (y *syncer) AppendFields(b []byte, _ walk.Fields) []byte {
	b = y.space.AppendID(append(b, `{"namespace":"`...))
	if y.sync {
		return append(b, `","pvc_state":"Sync"}`...)
	}
	return append(b, `","pvc_state":"nil"}`...)
}

// fieldClusters is what an update gives of a mapping: what differs.
const fieldClusters walk.Fields = 1

func (w *Walk) appendClusters(b []byte, m *mapping, f walk.Fields) []byte {
	b = append(b, `"clusters":{`...)
	if f != walk.All && m.before != none && m.before != m.cluster {
		b = append(append(b, w.clusters[m.before]...), `:"nil"`...)
		if m.cluster != none {
			b = append(b, ',')
		}
	}
	if m.cluster != none {
		b = append(append(b, w.clusters[m.cluster]...), `:"Sync"`...)
	}
	return append(b, '}')
}
