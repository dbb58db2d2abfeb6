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

// Place is where a record is kept. Elsewhere its checksum is another.
type Place uint32

// At is the place under a key.
func At(key []byte) Place { return Place(crc32.Checksum(key, castagnoli)) }

// At is a place within the place, under a key. Of two keys one after the other it
// does not matter where the first one ends.
func (p Place) At(key []byte) Place { return Place(crc32.Update(uint32(p), castagnoli, key)) }

// Seal sets the checksum of a record, whose first SealSize bytes are for it. The
// rest is what comes behind the record, and belongs to it.
func Seal(place Place, record []byte, rest ...[]byte) []byte {
	sum := place.sealOf(record)
	for _, r := range rest {
		sum = crc32.Update(sum, castagnoli, r)
	}
	binary.LittleEndian.PutUint32(record, sum)
	return record
}

// Unseal returns what follows the checksum, or ErrSeal.
func Unseal(place Place, record []byte) ([]byte, error) {
	if len(record) < SealSize || binary.LittleEndian.Uint32(record) != place.sealOf(record) {
		return nil, ErrSeal
	}
	return record[SealSize:], nil
}

// SealOf is the checksum of a sealed record.
func SealOf(record []byte) uint64 { return uint64(binary.LittleEndian.Uint32(record)) }

func (p Place) sealOf(record []byte) uint32 {
	return crc32.Update(uint32(p), castagnoli, record[SealSize:])
}
