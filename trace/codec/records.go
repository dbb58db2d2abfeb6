package codec

// Record is a record of Records: it embeds a Mark.
type Record interface {
	comparable
	mark() *Mark
}

// Mark identifies the last writing that has written the record, or that does
// not include it.
type Mark struct{ by uint8 }

func (m *Mark) mark() *Mark { return m }

// Records writes very many records of one kind. A divided writer writes them a
// part at a time while they change, each as of the beginning. So call Keep
// before a record changes or is removed, and Add when one is added. The zero
// value is ready.
type Records[P Record] struct {
	writing uint32 // the number of the last writing in parts; marks have its last byte
	to      *Codec // nil: no writing is in progress
	left    []P    // records to visit; some are already written
	each    func(*Codec, P)
}

// Code writes each record of the list, or reads as many: each then gets the
// zero P. A divided writer may change the order. each must use the Codec that
// it is given.
func (r *Records[P]) Code(c *Codec, list []P, each func(*Codec, P)) {
	for _, p := range r.left { // of an abandoned writing
		p.mark().by = uint8(r.writing)
	}
	r.to, r.left, r.each = nil, nil, nil
	n := c.Len(len(list))
	r.to = c.Later(func(c *Codec, until func() bool) (done bool) {
		switch {
		case r.to != nil:
			return r.some(until)
		case c.reading:
			var none P
			for ; n > 0 && c.err == nil; n-- {
				each(c, none)
			}
		default:
			for _, p := range list {
				each(c, p)
			}
		}
		return true
	})
	if r.to != nil {
		r.writing++
		r.left, r.each = list, each
	}
}

// some continues until all records are written or until returns true.
func (r *Records[P]) some(until func() bool) (done bool) {
	for len(r.left) > 0 {
		r.Keep(r.left[0])
		if r.left = r.left[1:]; until() {
			return false
		}
	}
	r.to, r.left, r.each = nil, nil, nil
	return true
}

// Keep writes the record as it is, if it is not written yet. Call it before the
// record changes or is removed.
func (r *Records[P]) Keep(p P) {
	if r.to == nil {
		return
	}
	if m := p.mark(); m.by != uint8(r.writing) {
		m.by = uint8(r.writing)
		r.each(r.to, p)
	}
}

// Add excludes a new record from the writing in progress.
func (r *Records[P]) Add(p P) { p.mark().by = uint8(r.writing) }

// Writing is the number of the writing in progress, 0 if none is.
func (r *Records[P]) Writing() uint32 {
	if r.to == nil {
		return 0
	}
	return r.writing
}
