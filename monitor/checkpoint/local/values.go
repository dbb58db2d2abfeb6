package local

import (
	"crypto/sha256"
	"encoding/binary"
	"math"

	"tracecheck/monitor/checkpoint"
)

// longest is the longest name that is its own key, in bytes. bbolt rejects
// empty keys, and keys of more than 32 KiB.
const longest = 1 << 10

func keyOf(stream string) []byte {
	if len(stream) <= longest {
		return append([]byte{'s'}, stream...)
	}
	sum := sha256.Sum256([]byte(stream))
	return append([]byte{'h'}, sum[:]...)
}

// Each value begins with a checksum of itself and its place. bbolt has
// checksums in its first pages only.

// placeOf is the place of a value: the part and the key.
func placeOf(part, key []byte) checkpoint.Place {
	return checkpoint.At(binary.AppendUvarint(nil, uint64(len(part)))).At(part).At(key)
}

// room returns an empty value with capacity for n bytes after the checksum.
func room(n int) []byte {
	return make([]byte, checkpoint.SealSize, checkpoint.SealSize+n)
}

// top is the head of a part, as stored.
type top struct {
	n       uint64 // number of checkpoints so far, with this one
	before  bool   // the other file has the previous one
	base    int    // index of the base bucket
	over    bool   // the other bucket overrides records of the base
	changed int    // number of streams that it has changed, whose keys are stored; less than 0: not stored
	tally   checkpoint.Tally
	head    []byte
}

const (
	beforeFlag = 1 << iota
	baseFlag
	overFlag
	endOfFlags
)

func (t *top) seal(part []byte) []byte {
	flags := byte(t.base) * baseFlag
	if t.before {
		flags |= beforeFlag
	}
	if t.over {
		flags |= overFlag
	}
	v := append(binary.AppendUvarint(room(4*binary.MaxVarintLen64+1+len(t.head)), t.n), flags)
	v = binary.AppendUvarint(v, uint64(t.changed+1))
	v = appendTally(v, t.tally)
	return checkpoint.Seal(placeOf(part, headKey), append(v, t.head...))
}

func openTop(part, value []byte) (t top, err error) {
	rest, err := checkpoint.Unseal(placeOf(part, headKey), value)
	if err != nil {
		return t, err
	}
	n, size := binary.Uvarint(rest)
	if size <= 0 || n == 0 || size == len(rest) || rest[size] >= endOfFlags {
		return t, checkpoint.ErrSeal
	}
	flags, rest := rest[size], rest[size+1:]
	changed, size := binary.Uvarint(rest)
	if size <= 0 || changed > math.MaxInt32 {
		return t, checkpoint.ErrSeal
	}
	t = top{n: n, before: flags&beforeFlag != 0, base: int(flags & baseFlag / baseFlag), over: flags&overFlag != 0, changed: int(changed) - 1}
	t.tally, t.head, err = cutTally(rest[size:])
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

func openStream(part, key, value []byte) (name, state []byte, err error) {
	rest, err := checkpoint.Unseal(placeOf(part, key), value)
	if err != nil {
		return nil, nil, err
	}
	return cutBytes(rest)
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

// sealKeys encodes keys of streams that the nth checkpoint has changed.
func sealKeys(part, number []byte, keys [][]byte, n uint64) []byte {
	v := binary.AppendUvarint(room(0), n)
	for _, k := range keys {
		v = appendBytes(v, k)
	}
	return checkpoint.Seal(placeOf(part, number), v)
}

func openKeys(part, number, value []byte) (keys [][]byte, n uint64, err error) {
	rest, err := checkpoint.Unseal(placeOf(part, number), value)
	if err != nil {
		return nil, 0, err
	}
	n, size := binary.Uvarint(rest)
	if size <= 0 {
		return nil, 0, checkpoint.ErrSeal
	}
	for rest = rest[size:]; err == nil && len(rest) > 0; {
		var k []byte
		if k, rest, err = cutBytes(rest); err == nil {
			keys = append(keys, k)
		}
	}
	return keys, n, err
}
