package raftlog

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"

	"go.etcd.io/etcd/server/v3/wal/walpb"
)

// The records of etcd's write-ahead log.
const (
	recordMetadata = iota + 1
	recordEntry
	recordState
	recordCRC
	recordSnapshot
)

// sector is the unit of a disk write. After a crash, unwritten sectors are
// zero.
const sector = 512

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// damage is the reason why a segment cannot be read further.
type damage struct {
	path string
	at   int64
	torn bool // an unfinished last write, as after a crash: nothing committed is lost
	why  string
}

func (d *damage) Error() string { return fmt.Sprintf("%s, byte %d: %s", d.path, d.at, d.why) }

// segment reads the records of one file. etcd's own reader locks and repairs
// the file, and returns nothing of a damaged log.
type segment struct {
	path string
	file *os.File
	r    *bufio.Reader
	size int64
	at   int64  // of the next record
	sum  uint32 // over the data of all records, with earlier segments
}

func openSegment(path string) (*segment, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, err
	}
	return &segment{path: path, file: file, r: bufio.NewReaderSize(file, 1<<20), size: info.Size()}, nil
}

func (s *segment) close() { s.file.Close() } // read only

// next returns io.EOF at the end, and *damage where the file is damaged. The
// caller compares a record of kind recordCRC with sum.
func (s *segment) next() (walpb.Record, error) {
	var rec walpb.Record
	var frame [8]byte
	if _, err := io.ReadFull(s.r, frame[:]); err == io.EOF {
		return rec, io.EOF
	} else if err != nil {
		return rec, s.unread(err)
	}
	head := binary.LittleEndian.Uint64(frame[:])
	if head == 0 {
		if s.restEmpty() {
			return rec, io.EOF // allocated but unused space
		}
		return rec, &damage{s.path, s.at, false, "the rest of the file is not empty, but no record begins here"}
	}
	length, padding := int64(head&(1<<56-1)), int64(0)
	if head>>63 == 1 {
		padding = int64(head >> 56 & 7)
	}
	if length+padding > s.size-s.at-int64(len(frame)) {
		return rec, &damage{s.path, s.at, false, cutShort}
	}
	data := make([]byte, length+padding)
	if _, err := io.ReadFull(s.r, data); err != nil {
		return rec, s.unread(err)
	}
	if err := rec.Unmarshal(data[:length]); err != nil {
		return rec, &damage{s.path, s.at, s.torn(data), "a record cannot be decoded"}
	}
	if rec.Type != recordCRC {
		s.sum = crc32.Update(s.sum, castagnoli, rec.Data)
		if rec.Crc != s.sum {
			return rec, &damage{s.path, s.at, s.torn(data), "a record does not match its checksum"}
		}
	}
	s.at += int64(len(frame)) + length + padding
	return rec, nil
}

func (s *segment) unread(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return &damage{s.path, s.at, false, cutShort}
	}
	return &damage{s.path, s.at, false, err.Error()}
}

const cutShort = "the file ends within a record"

// torn reports whether a sector of the record, and everything after it, was
// never written.
func (s *segment) torn(data []byte) bool {
	if !s.restEmpty() {
		return false
	}
	at := s.at + 8
	for len(data) > 0 {
		n := min(sector-at%sector, int64(len(data)))
		if empty(data[:n]) {
			return true
		}
		data, at = data[n:], at+n
	}
	return false
}

// restEmpty reports whether the rest of the file is zero.
func (s *segment) restEmpty() bool {
	buf := make([]byte, 1<<16)
	for {
		n, err := s.r.Read(buf)
		if !empty(buf[:n]) {
			return false
		}
		if err != nil {
			return err == io.EOF
		}
	}
}

func empty(data []byte) bool {
	for _, b := range data {
		if b != 0 {
			return false
		}
	}
	return true
}
