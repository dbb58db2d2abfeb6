package bind

import (
	"slices"

	"tracecheck/trace"
)

// Without a bound, the frontier would grow if a log has few values. It is made as wide as
// the work for one line allows. The other states are in reserve, and are tried where no
// state of the frontier continues. The lines since then are kept for that.

// reserve is states before a line.
type reserve struct {
	line   int  // its number, of the stream's steps
	closed bool // the silent steps before it have been taken
	all    bool // all silent steps are to be taken before it, however many states they make
	skip   int  // how many successors of the first have been made
	nodes  []*node
}

// The frontier has leastWidth states, if there are so many; more, up to mostWidth, as
// long as the work for the line is less than lineWork and there is credit (Bind.credit): each
// state of a line takes one of it, each line gives leastWidth. mostKept is how many lines are kept.
// With the silent steps before a line, it has leastClosed states.
const (
	leastWidth  = 5
	mostWidth   = 5_000
	leastClosed = 100
	lineWork    = 100_000
	mostKept    = 10_000
)

// wide reports whether the frontier is as wide as it gets, with the work for the line.
func (m *machine) wide(work int) bool {
	n := len(m.frontier)
	return n >= leastWidth && (n >= min(mostWidth, m.credit) || work > lineWork)
}

// put keeps states for later.
func (m *machine) put(r reserve) {
	if r.nodes[0].broke != nil {
		r.skip = 0
	}
	if r.nodes = slices.DeleteFunc(slices.Clone(r.nodes), func(n *node) bool { return n.broke != nil }); len(r.nodes) > 0 {
		m.reserve = append(m.reserve, r)
	}
}

// putAll keeps states for later, to take all silent steps from them: from some at a time, as
// few may do.
func (m *machine) putAll(r reserve) {
	for part := range slices.Chunk(r.nodes, leastWidth) {
		m.put(reserve{line: r.line, all: true, nodes: part})
	}
}

// keep keeps the line as long as states before it are in reserve, and bounds these.
func (m *machine) keep(ev *trace.Event) {
	m.credit = max(0, min(m.credit+leastWidth-len(m.frontier), m.b.credit()))
	states := 0
	for i := len(m.reserve) - 1; i >= 0; i-- {
		if states += len(m.reserve[i].nodes); states > m.b.maxStates() || m.lines-m.reserve[i].line > mostKept {
			m.reserve, m.dropped = slices.Delete(m.reserve, 0, i+1), true
			break
		}
	}
	if len(m.reserve) == 0 {
		m.kept = nil
		return
	}
	if m.kept == nil {
		m.keptFrom = m.lines
	}
	m.kept = append(m.kept, placeOf(ev))
	if n := m.reserve[0].line - m.keptFrom; n > 0 {
		m.kept, m.keptFrom = slices.Delete(m.kept, 0, min(n, len(m.kept))), m.reserve[0].line
	}
}

// back tries the states in reserve, the latest first, until some come past the line at
// hand. The frontier is empty where none do.
func (m *machine) back(s *meaning, ev *trace.Event) error {
	m.frontier = nil
	for len(m.reserve) > 0 {
		last := m.reserve[len(m.reserve)-1]
		m.reserve = m.reserve[:len(m.reserve)-1]
		m.frontier = last.nodes
		for ; len(m.frontier) > 0 && last.line <= m.lines; last = (reserve{line: last.line + 1, nodes: m.frontier}) {
			says, at, raw := s, ev.Pos, ev.Raw
			if last.line < m.lines {
				k := m.kept[last.line-m.keptFrom]
				at, raw = trace.Pos{File: k.file, Line: k.line}, k.raw
				var err error
				if says, err = m.again(raw); err != nil {
					return err
				}
			}
			if _, err := m.advance(last, says, at, raw); err != nil {
				return err
			}
			m.frontier = slices.DeleteFunc(m.frontier, func(n *node) bool { return n.broke != nil })
			if last.line < m.lines {
				m.settle(at)
			}
		}
		if len(m.frontier) > 0 {
			return nil
		}
	}
	return nil
}

// again evaluates a kept line.
func (m *machine) again(raw string) (*meaning, error) {
	e, _ := m.p.json.text(raw, m.b.shapes.field(lineName)) // it was read before
	return m.meaning(e)
}

// allBroken reports whether there is no path that breaks nothing.
func allBroken(list []*node) bool {
	return !slices.ContainsFunc(list, func(n *node) bool { return n.broke == nil })
}
