package checkpoint

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// SealSize is how many bytes the checksum of a record takes, at its start.
const SealSize = 4

// ErrSeal is of a record that is not as it was written, or not where.
var ErrSeal = errors.New("a checksum is another")

// Seal sets the checksum of a record, whose first SealSize bytes are for it. The
// place is where the record is kept: elsewhere the checksum is another.
func Seal(place, record []byte) []byte {
	binary.LittleEndian.PutUint32(record, sealOf(place, record))
	return record
}

// Unseal returns what follows the checksum, or ErrSeal.
func Unseal(place, record []byte) ([]byte, error) {
	if len(record) < SealSize || binary.LittleEndian.Uint32(record) != sealOf(place, record) {
		return nil, ErrSeal
	}
	return record[SealSize:], nil
}

// SealOf is the checksum of a sealed record.
func SealOf(record []byte) uint64 { return uint64(binary.LittleEndian.Uint32(record)) }

func sealOf(place, record []byte) uint32 {
	sum := crc32.Checksum(place, castagnoli)
	return crc32.Update(sum, castagnoli, record[SealSize:])
}
