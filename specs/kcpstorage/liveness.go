package kcpstorage

import (
	"strings"

	"tracecheck/trace"
	"tracecheck/validators"
)

// What a namespace waits for: any action of Next.
const waitNext validators.Wait = 1

var waits = []string{waitNext: validators.NextRule}

// temporal is Spec's fairness. The property Termination of the PlusCal
// translation, <>(\A self \in ProcSet : pc[self] = "Done"), is not judged: no
// action makes pc "Done", and traces leave pc out.
var temporal = []validators.Temporal{{
	Name: "WF_vars(Next)",
	Doc: "Something happens eventually: the namespace controller can always assign a namespace or remove it. Followed for each namespace, " +
		"since its last change, it is at risk at the end of every trace. With the namespace stand the processes that have something to copy " +
		"to what the trace has shown. " +
		"The translation's property Termination is not judged: its processes never end.",
	Waits: []validators.Wait{waitNext},
}}

// waiting is what the namespace waits for. One whose ns is outside its type, or
// not known yet, waits for nothing.
func (m *machine) waiting(sp *space) validators.Want {
	if sp == m.s.nowhere || sp.isEmpty() || sp.ns.bad || m.attach && !sp.named {
		return validators.Want{}
	}
	_, apart := sp.compare()
	enabled := len(sp.ns.mapping) == 0 || sp.behind > 0 || apart > 0
	for _, e := range sp.ns.mapping {
		if e.state == badState || !m.s.clusters.has(e.cluster) {
			return validators.Want{}
		}
		enabled = enabled || e.state == Sync // an Empty, which no action makes, bars the controller
	}
	if !enabled {
		return validators.Want{}
	}
	return validators.Want{For: waitNext, Of: sp, Stage: int32(sp.changes)}
}

// Ref implements validators.Waiter. The note is the processes that have
// something to copy.
func (sp *space) Ref() validators.Ref {
	ref := validators.Ref{Kind: trace.KindNamespace, ID: sp.id}
	var work []string
	if _, apart := sp.compare(); apart > 0 && sp.pvcs > 0 {
		work = append(work, pvcController.Name)
	}
	for _, e := range sp.syncers {
		if e.state != sp.ns.of(e.cluster) {
			work = append(work, syncerProcess.Name)
			break
		}
	}
	if work != nil {
		ref.Note = "with work for " + strings.Join(work, ", ")
	}
	return ref
}

// follow brings the ledger up to date with what the step changed.
func (m *machine) follow() {
	if m.ledger == nil {
		return
	}
	for i := range m.parts {
		m.followSpace(m.parts[i].space)
	}
	for _, sp := range m.left {
		m.followSpace(sp)
	}
}

func (m *machine) followSpace(sp *space) { sp.waits = m.ledger.Set(sp.waits, m.waiting(sp)) }

// followSnapshots follows what the run of snapshots has shown.
func (m *machine) followSnapshots() {
	for _, sp := range m.sighted {
		m.followSpace(sp)
		m.s.release(sp)
	}
	m.sighted = nil
}
