package local

import (
	"crypto/sha256"
	"encoding/binary"

	"tracecheck/monitor/checkpoint"
)

// longest is how long a name may be to be its own key, in bytes: bbolt takes
// none that is empty, or longer than 32 KiB.
const longest = 1 << 10

func keyOf(stream string) []byte {
	if len(stream) <= longest {
		return append([]byte{'s'}, stream...)
	}
	sum := sha256.Sum256([]byte(stream))
	return append([]byte{'h'}, sum[:]...)
}

// Each value begins with a checksum of the rest of it, and of its place: of what
// bbolt writes, only its first pages have one.

// placeOf is where a value is: of which part, and under which key.
func placeOf(part, key []byte) []byte {
	p := binary.AppendUvarint(make([]byte, 0, binary.MaxVarintLen64+len(part)+len(key)), uint64(len(part)))
	return append(append(p, part...), key...)
}

// room is an empty value with so much room behind its checksum.
func room(n int) []byte {
	return make([]byte, checkpoint.SealSize, checkpoint.SealSize+n)
}

// top is the head of a part, as it is kept.
type top struct {
	n      uint64 // how many checkpoints there were, with this one
	before bool   // the other file has the one before it
	tally  checkpoint.Tally
	head   []byte
}

func (t *top) seal(part []byte) []byte {
	flag := byte(0)
	if t.before {
		flag = 1
	}
	v := append(binary.AppendUvarint(room(3*binary.MaxVarintLen64+1+len(t.head)), t.n), flag)
	v = appendTally(v, t.tally)
	return checkpoint.Seal(placeOf(part, headKey), append(v, t.head...))
}

func openTop(part, value []byte) (t top, err error) {
	rest, err := checkpoint.Unseal(placeOf(part, headKey), value)
	if err != nil {
		return t, err
	}
	n, size := binary.Uvarint(rest)
	if size <= 0 || n == 0 || size == len(rest) {
		return t, checkpoint.ErrSeal
	}
	t.n, t.before = n, rest[size] != 0
	t.tally, t.head, err = cutTally(rest[size+1:])
	return t, err
}

func appendTally(v []byte, t checkpoint.Tally) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(v, uint64(t.Streams)), t.Sum)
}

func cutTally(v []byte) (t checkpoint.Tally, rest []byte, err error) {
	streams, n := binary.Uvarint(v)
	sum, m := binary.Uvarint(v[max(n, 0):])
	if n <= 0 || m <= 0 {
		return t, nil, checkpoint.ErrSeal
	}
	return checkpoint.Tally{Streams: int(streams), Sum: sum}, v[n+m:], nil
}

func sealStream(part, key []byte, name string, state []byte) []byte {
	v := binary.AppendUvarint(room(binary.MaxVarintLen64+len(name)+len(state)), uint64(len(name)))
	return checkpoint.Seal(placeOf(part, key), append(append(v, name...), state...))
}

func openStream(part, key, value []byte) (name string, state []byte, err error) {
	rest, err := checkpoint.Unseal(placeOf(part, key), value)
	if err != nil {
		return "", nil, err
	}
	b, rest, err := cutBytes(rest)
	return string(b), rest, err
}

func appendBytes(v, b []byte) []byte {
	return append(binary.AppendUvarint(v, uint64(len(b))), b...)
}

func cutBytes(v []byte) (b, rest []byte, err error) {
	size, n := binary.Uvarint(v)
	if n <= 0 || size > uint64(len(v)-n) {
		return nil, nil, checkpoint.ErrSeal
	}
	end := n + int(size)
	return v[n:end], v[end:], nil
}

// sealKeys keeps which streams a checkpoint has changed.
func sealKeys(part []byte, records []record) []byte {
	v := room(0)
	for i := range records {
		v = appendBytes(v, records[i].key)
	}
	return checkpoint.Seal(placeOf(part, changedKey), v)
}

func openKeys(part, value []byte) (keys [][]byte, err error) {
	rest, err := checkpoint.Unseal(placeOf(part, changedKey), value)
	for err == nil && len(rest) > 0 {
		var k []byte
		if k, rest, err = cutBytes(rest); err == nil {
			keys = append(keys, k)
		}
	}
	return keys, err
}
