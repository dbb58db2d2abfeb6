package validators

// Workspace is what the machines of one goroutine share: room to work in while
// a step is judged, nothing of a stream. With thousands of streams, each with
// room of its own, the processor's caches would hold little else.
type Workspace struct{ parts []any }

// PartOf returns the workspace's T, made at the first call; without a workspace
// a T for the caller alone.
func PartOf[T any](w *Workspace) *T {
	if w == nil {
		return new(T)
	}
	for _, p := range w.parts {
		if t, ok := p.(*T); ok {
			return t
		}
	}
	t := new(T)
	w.parts = append(w.parts, t)
	return t
}
