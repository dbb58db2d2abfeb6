package walk

// Start is what comes before the first action: the objects that exist. A Walk
// embeds it.
type Start struct {
	Shown   bool // by snapshots, and not by creations
	objects []Object
	next    int
}

// Begin adds an object.
func (o *Start) Begin(object Object) { o.objects = append(o.objects, object) }

// Opening implements Walk.
func (o *Start) Opening() int { return len(o.objects) }

// Open implements Walk.
func (o *Start) Open(s *Step) {
	if object := o.objects[o.next]; o.Shown {
		s.Snapshot(object)
	} else {
		s.Create(nil, object)
	}
	if o.next++; o.next == len(o.objects) {
		o.objects, o.next = nil, 0
	}
}
