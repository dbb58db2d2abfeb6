package local

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash/crc32"

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

// A value begins with the checksum of the rest of it: of what bbolt writes, only
// its first pages have one.

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

const sumSize = 4

var errSum = errors.New("a checksum is another")

func seal(value []byte) []byte {
	binary.LittleEndian.PutUint32(value, crc32.Checksum(value[sumSize:], castagnoli))
	return value
}

func unseal(value []byte) ([]byte, error) {
	if len(value) < sumSize || sumOf(value) != uint64(crc32.Checksum(value[sumSize:], castagnoli)) {
		return nil, errSum
	}
	return value[sumSize:], nil
}

func sumOf(value []byte) uint64 { return uint64(binary.LittleEndian.Uint32(value)) }

func sealHead(t checkpoint.Tally, head []byte) []byte {
	v := binary.AppendUvarint(make([]byte, sumSize, sumSize+2*binary.MaxVarintLen64+len(head)), uint64(t.Streams))
	v = binary.AppendUvarint(v, t.Sum)
	return seal(append(v, head...))
}

func openHead(value []byte) (t checkpoint.Tally, head []byte, err error) {
	rest, err := unseal(value)
	if err != nil {
		return t, nil, err
	}
	streams, n := binary.Uvarint(rest)
	sum, m := binary.Uvarint(rest[max(n, 0):])
	if n <= 0 || m <= 0 {
		return t, nil, errSum
	}
	return checkpoint.Tally{Streams: int(streams), Sum: sum}, rest[n+m:], nil
}

func sealStream(name string, state []byte) []byte {
	v := binary.AppendUvarint(make([]byte, sumSize, sumSize+binary.MaxVarintLen64+len(name)+len(state)), uint64(len(name)))
	return seal(append(append(v, name...), state...))
}

func openStream(value []byte) (name string, state []byte, sum uint64, err error) {
	rest, err := unseal(value)
	if err != nil {
		return "", nil, 0, err
	}
	size, n := binary.Uvarint(rest)
	if n <= 0 || size > uint64(len(rest)-n) {
		return "", nil, 0, errSum
	}
	end := n + int(size)
	return string(rest[n:end]), rest[end:], sumOf(value), nil
}
