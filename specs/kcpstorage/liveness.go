package kcpstorage

import (
	"strings"

	"tracecheck/validators"
	"tracecheck/validators/model"
)

// What a namespace waits for: any action of Next.
const waitNext validators.Wait = 1

var waits = []string{waitNext: validators.NextRule}

// temporal is Spec's fairness. The property Termination of the PlusCal
// translation, <>(\A self \in ProcSet : pc[self] = "Done"), is not judged: no
// action makes pc "Done", and traces leave pc out.
var temporal = []validators.Temporal{{
	Name: "WF_vars(Next)",
	Doc: "Something happens eventually: the namespace controller can always assign a namespace or remove it. The obligation of a namespace begins " +
		"at its last change. So the property is at risk at the end of every trace. The report also lists the processes that still " +
		"have to copy a state to an object of the trace. " +
		"The translation's property Termination is not judged: its processes never end.",
	Waits: []validators.Wait{waitNext},
}}

// waiting says that the namespace waits. One whose ns is outside its type, or not
// known yet, waits for nothing.
func waiting(s *State, r *model.Row[Namespace]) bool {
	sp := r.Value.space
	isEmpty := !r.IsShown() && sp.pvcs == 0 && len(sp.syncers) == 0
	if sp == s.nowhere || isEmpty || sp.ns.IsBad() || s.attach && !r.IsKnown() {
		return false
	}
	_, apart := sp.compare()
	enabled := sp.ns.Len() == 0 || sp.behind > 0 || apart > 0
	for i := range sp.ns.Len() {
		c, state := sp.ns.At(i)
		if state == badState || !s.clusters.Has(c) {
			return false
		}
		enabled = enabled || state == Sync // an Empty, which no action makes, bars the controller
	}
	return enabled
}

// Note is the processes that have something to copy.
func (sp *space) Note() string {
	var work []string
	if _, apart := sp.compare(); apart > 0 && sp.pvcs > 0 {
		work = append(work, pvcController.Name)
	}
	for c, state := range sp.syncers {
		if state != sp.ns.Of(c) {
			work = append(work, syncerProcess.Name)
			break
		}
	}
	if work == nil {
		return ""
	}
	return "with work for " + strings.Join(work, ", ")
}
