package checkpoint

// Tally detects missing or changed streams in a checkpoint. The zero value
// counts no stream.
type Tally struct {
	Streams int
	Sum     uint64 // sum of a hash of each stream
}

// Add adds a stream with a version, such as a checksum of its state.
func (t *Tally) Add(stream string, version uint64) {
	t.Streams++
	t.Sum += mark(stream, version)
}

// Remove removes a stream that was added with this version.
func (t *Tally) Remove(stream string, version uint64) {
	t.Streams--
	t.Sum -= mark(stream, version)
}

// mark is FNV-1a of both. It does not allocate: a checkpoint needs some for
// each stream.
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
