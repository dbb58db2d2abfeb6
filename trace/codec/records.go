package codec

// Record is a record of Records: it embeds a Mark.
type Record interface {
	comparable
	mark() *Mark
}

// Mark says which writing has written the record last, or is not about it.
type Mark struct{ by uint8 }

func (m *Mark) mark() *Mark { return m }

// Records writes records of one kind, of which there may be very many: a part at
// a time where the writer is divided, while they change, each as it was when that
// began. So Keep is called before one changes or goes, and Add when one comes.
// The zero value is ready.
type Records[P Record] struct {
	writing uint32 // the number of the last writing in parts; their marks have its last byte
	to      *Codec // nil: none is under way
	left    []P    // those to look at, some of them written before their turn
	each    func(*Codec, P)
}

// Code writes each of the list, in its order unless the writer is divided, or
// reads as many as were written: each then gets the zero P. Each uses the Codec
// that it is given, whose names are its own.
func (r *Records[P]) Code(c *Codec, list []P, each func(*Codec, P)) {
	for _, p := range r.left { // of a writing that was left in the midst
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

// some writes on, until all are there or until says so.
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

// Keep is called before the record changes or goes: it is written as it is, if
// it is still to be.
func (r *Records[P]) Keep(p P) {
	if m := p.mark(); r.to != nil && m.by != uint8(r.writing) {
		m.by = uint8(r.writing)
		r.each(r.to, p)
	}
}

// Add is called of a record that comes: it is no part of what is being written.
func (r *Records[P]) Add(p P) { p.mark().by = uint8(r.writing) }

// Writing is the number of the writing in parts that is under way, 0 if none is.
func (r *Records[P]) Writing() uint32 {
	if r.to == nil {
		return 0
	}
	return r.writing
}
