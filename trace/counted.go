package trace

// Counted is a Sink that passes on each event of a stream that counts:
// duplicates and skipped events do not.
type Counted struct {
	Each  func(*Event) // the event is valid until Each returns; no meta lines
	Again func()       // another recording begins
}

// Meta implements Sink.
func (c *Counted) Meta(*Event) error { return nil }

// Begin implements Sink.
func (c *Counted) Begin() error {
	c.Again()
	return nil
}

// Lost implements Sink.
func (c *Counted) Lost(*Error) {}

// Snapshot implements Sink.
func (c *Counted) Snapshot(ev *Event) error {
	c.Each(ev)
	return nil
}

// SnapshotsEnd implements Sink.
func (c *Counted) SnapshotsEnd() error { return nil }

// Step implements Sink.
func (c *Counted) Step(s *Step) error {
	for i := range s.Events {
		c.Each(&s.Events[i])
	}
	return nil
}
