package generate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"tracecheck/internal/generate/walk"
	"tracecheck/internal/nearest"
)

// target is the rule to break, and how far that has come.
type target struct {
	spec     int // whose walk is to break it
	on       *stream
	done     bool
	said     Broken
	since    time.Time     // when the wait began
	deadline time.Duration // that shows it
}

// RuleNames are the rules that a trace can break, of all specs, each once.
func RuleNames() (names []string) {
	for _, s := range all() {
		for _, r := range s.Rules {
			if r.Cannot == "" {
				names = append(names, r.Name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// plan looks up the rule.
func (g *generator) plan(specs []*walk.Spec) error {
	var names []string
	for i, s := range specs {
		for _, r := range s.Rules {
			names = append(names, r.Name)
			switch {
			case r.Name != g.Violate:
			case r.Cannot != "":
				return fmt.Errorf("no trace breaks %s of %s: %s", r.Name, s.Name, r.Cannot)
			case r.Atomic != "" && g.Batch > 0:
				return fmt.Errorf("no batched step breaks %s of %s: %s", r.Name, s.Name, r.Atomic)
			default:
				g.spec = i
				if g.At == 0 {
					if g.At = g.Events - g.Events/10; r.Waits {
						g.At = g.Events / 2
					}
				}
				g.At = max(g.At, 1)
				return nil
			}
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return fmt.Errorf("there is no rule %q: expected one of %s%s", g.Violate, strings.Join(names, ", "), nearest.Hint(g.Violate, names))
}

// hit breaks the rule with the stream's step, if it is time to and can be done.
func (g *generator) hit(st *stream, room int) bool {
	if g.Violate == "" || g.done || g.Events-g.left+1 < g.At || g.on != nil && g.on != st {
		return false
	}
	b, ok := st.walks[g.spec].Break(g.Violate, &g.step, room)
	if !ok {
		return false
	}
	g.on = st
	if b.Waits && g.since.IsZero() {
		g.since = g.now()
	}
	if b.Further {
		return true
	}
	g.done = true
	g.said = Broken{Rule: g.Violate, What: b.What}
	if !b.Waits {
		g.said.Line = g.lines + 1 + int64(b.At)
		return true
	}
	// Half of the time that is left, as the steps so far tell.
	left := time.Duration(float64(g.left) * float64(g.steps) / float64(g.Events-g.left+1))
	g.deadline = max(1, left/2) * g.Interval
	return true
}

// now is the time of the current step.
func (g *generator) now() time.Time { return g.Start.Add(time.Duration(g.steps-1) * g.Interval) }

// overdue notes the line that shows a wait of longer than the deadline.
func (g *generator) overdue(st *stream) {
	if g.deadline > 0 && g.said.Line == 0 && st == g.on && g.now().Sub(g.since) > g.deadline {
		g.said.Line, g.said.Deadline = g.lines+int64(len(g.step.Lines)), g.deadline
	}
}

// broken is what was broken, or an error where it was not to be done.
func (g *generator) broken() (*Broken, error) {
	switch {
	case g.Violate == "":
		return nil, nil
	case !g.done:
		return nil, fmt.Errorf("%s could not be broken from event %d on: no suitable step occurred; ask for more events, or set a lower --at", g.Violate, g.At)
	case g.said.Line == 0:
		return nil, fmt.Errorf("%s: the trace ends too soon to show that something waits; ask for more events, or let it be earlier", g.Violate)
	}
	return &g.said, nil
}
