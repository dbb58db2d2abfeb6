package swarmkit

import "tracecheck/generate/walk"

type script struct{}

// Break implements walk.Walk.
func (w *Walk) Break(rule string, s *walk.Step, room int) (walk.Broken, bool) {
	return walk.Broken{}, false
}
