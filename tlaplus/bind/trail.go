package bind

import (
	"slices"
	"strings"

	"tracecheck/tlaplus/value"
	"tracecheck/trace"
)

// Some callers need a whole behaviour: one path through the stream. Its states are then
// kept, which takes memory for each line.

// PathState is a state of a path.
type PathState struct {
	Values []value.Value // of the variables
	Action string        // that made it, or several in a batched step; "": it is not known
	Pos    trace.Pos     // of its line; Line 0: of none
}

// KeepPaths has the machines that are made from now on keep a path.
func (b *Bind) KeepPaths() { b.paths = true }

// link is a state of a path, and what came before it.
type link struct {
	PathState
	before *link
}

// linked is the path to the state, whose line is given.
func (n *node) linked(at trace.Pos) *link {
	switch {
	case n.trail != nil:
	case n.from == nil:
		n.trail = &link{PathState: PathState{Values: n.state.Vals}}
	default:
		by := n.by
		if n.acts != nil {
			by = strings.Join(n.acts, ", ")
		}
		n.trail = &link{PathState{n.state.Vals, by, at}, n.from.linked(at)}
	}
	return n.trail
}

// shown replaces the last state of the path: objects have come or gone without a step.
func (l *link) shown(values []value.Value) *link {
	if l == nil {
		return nil
	}
	n := *l
	n.Values = values
	return &n
}

// Path is one path that explains the stream: its variables, and its states in order. After
// a line that no step explains, it continues with the values that the line gives. nil: no
// line has been judged, or no path is kept.
func (m *machine) Path() (variables []string, states []PathState) {
	if len(m.frontier) == 0 {
		return nil, nil
	}
	for l := m.first().trail; l != nil; l = l.before {
		states = append(states, l.PathState)
	}
	slices.Reverse(states)
	return m.p.spec.Variables, states
}

func ownPos(pos trace.Pos) trace.Pos {
	return trace.Pos{File: strings.Clone(pos.File), Line: pos.Line}
}
