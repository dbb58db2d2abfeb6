package validators

// Workspace is scratch memory that the machines of one goroutine share while
// they judge a step. It holds nothing of a stream. With thousands of streams,
// separate scratch memory would fill the processor's caches.
type Workspace struct{ parts []any }

// PartOf returns the workspace's T, created at the first call. Without a
// workspace it returns a new T.
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
