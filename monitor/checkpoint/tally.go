package checkpoint

// Tally is kept with a checkpoint to tell whether it still has all its streams,
// each as it was saved. The zero value is of none.
type Tally struct {
	Streams int
	Sum     uint64 // of what each stream comes to, in any order
}

// Add counts a stream in, in a version such as a checksum of its state.
func (t *Tally) Add(stream string, version uint64) {
	t.Streams++
	t.Sum += mark(stream, version)
}

// Remove takes a stream out that was added so.
func (t *Tally) Remove(stream string, version uint64) {
	t.Streams--
	t.Sum -= mark(stream, version)
}

// mark is FNV-1a of both. A checkpoint needs some for each stream, so it makes no
// garbage.
func mark(stream string, version uint64) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset)
	for i := range 8 {
		h = (h ^ version>>(8*i)&0xff) * prime
	}
	for i := range len(stream) {
		h = (h ^ uint64(stream[i])) * prime
	}
	return h
}
