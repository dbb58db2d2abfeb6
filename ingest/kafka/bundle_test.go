package kafka

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"hash/crc32"
)

// stored is a bundle to be written as a broker stores it: from Kafka's own
// description of the format, not with the code under test.
type stored struct {
	first, last int64
	attributes  int16
	producer    int64
	messages    []storedMessage
}

type storedMessage struct {
	offset     int64
	key, value string // "" is null
}

const (
	transactional = 1 << 4
	control       = 1 << 5
)

// marker ends a transaction.
func marker(offset, producer int64, commit bool) stored {
	key := "\x00\x00\x00\x00"
	if commit {
		key = "\x00\x00\x00\x01"
	}
	return stored{
		first: offset, last: offset, attributes: transactional | control, producer: producer,
		messages: []storedMessage{{offset, key, "\x00\x00\x00\x00\x00\x00"}},
	}
}

func (s *stored) bytes() []byte { return s.packed(func(list []byte) []byte { return list }) }

// compressed is the bundle, compressed with gzip.
func (s stored) compressed() []byte {
	s.attributes |= 1
	return s.packed(func(list []byte) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write(list)
		w.Close()
		return b.Bytes()
	})
}

func (s *stored) packed(pack func(list []byte) []byte) []byte {
	var list []byte
	for _, m := range s.messages {
		one := []byte{0}                                 // attributes
		one = binary.AppendVarint(one, 0)                // time
		one = binary.AppendVarint(one, m.offset-s.first) // offset
		for _, text := range []string{m.key, m.value} {
			if text == "" {
				one = binary.AppendVarint(one, -1)
				continue
			}
			one = append(binary.AppendVarint(one, int64(len(text))), text...)
		}
		one = binary.AppendVarint(one, 0) // headers
		list = append(binary.AppendVarint(list, int64(len(one))), one...)
	}
	be := binary.BigEndian
	summed := be.AppendUint16(nil, uint16(s.attributes))
	summed = be.AppendUint32(summed, uint32(s.last-s.first))
	summed = be.AppendUint64(summed, 0) // first time
	summed = be.AppendUint64(summed, 0) // last time
	summed = be.AppendUint64(summed, uint64(s.producer))
	summed = be.AppendUint16(summed, 0) // its epoch
	summed = be.AppendUint32(summed, 0) // sequence
	summed = be.AppendUint32(summed, uint32(len(s.messages)))
	summed = append(summed, pack(list)...)

	all := be.AppendUint64(nil, uint64(s.first))
	all = be.AppendUint32(all, uint32(4+1+4+len(summed)))
	all = be.AppendUint32(all, 0) // leader's epoch
	all = append(all, 2)          // format
	all = be.AppendUint32(all, crc32.Checksum(summed, crc32.MakeTable(crc32.Castagnoli)))
	return append(all, summed...)
}

// resummed gives bytes of a bundle the length and checksum that they have.
func resummed(b []byte) []byte {
	binary.BigEndian.PutUint32(b[8:], uint32(len(b)-12))
	binary.BigEndian.PutUint32(b[17:], crc32.Checksum(b[21:], crc32.MakeTable(crc32.Castagnoli)))
	return b
}
