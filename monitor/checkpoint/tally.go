package checkpoint

import (
	"encoding/binary"
	"hash/fnv"
)

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

func mark(stream string, version uint64) uint64 {
	h := fnv.New64a()
	h.Write(binary.LittleEndian.AppendUint64(make([]byte, 0, 8), version))
	h.Write([]byte(stream))
	return h.Sum64()
}
