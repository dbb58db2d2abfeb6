package checkpoint

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// SealSize is the size of the checksum at the start of a record, in bytes.
const SealSize = 4

// ErrSeal is the error of a record that was changed or moved.
var ErrSeal = errors.New("wrong checksum")

// Place is where a record is stored. The checksum depends on it.
type Place uint32

// At returns the place under a key.
func At(key []byte) Place { return Place(crc32.Checksum(key, castagnoli)) }

// At returns the place under a key within this place. Two consecutive keys are
// not separated.
func (p Place) At(key []byte) Place { return Place(crc32.Update(uint32(p), castagnoli, key)) }

// Seal writes the checksum into the first SealSize bytes of the record. It
// covers the record, the place, and rest, which follows the record.
func Seal(place Place, record []byte, rest ...[]byte) []byte {
	sum := place.sealOf(record)
	for _, r := range rest {
		sum = crc32.Update(sum, castagnoli, r)
	}
	binary.LittleEndian.PutUint32(record, sum)
	return record
}

// Unseal returns the record without its checksum, or ErrSeal.
func Unseal(place Place, record []byte) ([]byte, error) {
	if len(record) < SealSize || binary.LittleEndian.Uint32(record) != place.sealOf(record) {
		return nil, ErrSeal
	}
	return record[SealSize:], nil
}

// SealOf returns the checksum of a sealed record.
func SealOf(record []byte) uint64 { return uint64(binary.LittleEndian.Uint32(record)) }

func (p Place) sealOf(record []byte) uint32 {
	return crc32.Update(uint32(p), castagnoli, record[SealSize:])
}
