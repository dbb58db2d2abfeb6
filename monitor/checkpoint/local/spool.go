package local

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"tracecheck/monitor/checkpoint"
)

// spool holds the streams of a checkpoint until they are written, in the order
// of their keys. Beyond a limit they go to an unnamed file, so they take no
// memory.
type spool struct {
	part   []byte
	dir    string
	most   int // limit of bytes in memory
	file   *os.File
	inFile int64
	buf    []byte
	list   []spooled
	at     int // index in list of the next one
	read   []byte
}

// spooled locates the record of a stream.
type spooled struct {
	key  string
	from int64
	size int // less than 0: the stream is deleted
}

// newSpool collects the streams. likely estimates their number.
func newSpool(part []byte, path string, most, likely int, c *checkpoint.Change) (*spool, error) {
	s := &spool{part: part, dir: filepath.Dir(path), most: most, list: make([]spooled, 0, likely)}
	var err error
	c.Each(func(one checkpoint.Stream) bool {
		err = s.add(one)
		return err == nil
	})
	if failed := c.Err(); failed != nil {
		s.close()
		return nil, failed
	}
	if err == nil && s.file != nil {
		err = s.flush()
	}
	if err != nil {
		s.close()
		return nil, fault(fmt.Sprintf("cannot write a temporary file beside the checkpoints %s: %v: check the disk and its limits", path, err))
	}
	slices.SortFunc(s.list, func(a, b spooled) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.from, b.from)) })
	return s, nil
}

func (s *spool) add(one checkpoint.Stream) error {
	key := keyOf(one.Name)
	if one.State == nil {
		s.list = append(s.list, spooled{string(key), s.end(), -1})
		return nil
	}
	start := binary.AppendUvarint(room(binary.MaxVarintLen64+len(one.Name)), uint64(len(one.Name)))
	start = checkpoint.Seal(placeOf(s.part, key), append(start, one.Name...), one.State)
	s.list = append(s.list, spooled{string(key), s.end(), len(start) + len(one.State)})
	s.buf = append(s.buf, start...)
	if len(s.buf)+len(one.State) <= s.most {
		s.buf = append(s.buf, one.State...)
		return nil
	}
	if err := s.flush(); err != nil {
		return err
	}
	return s.write(one.State)
}

func (s *spool) end() int64 { return s.inFile + int64(len(s.buf)) }

func (s *spool) flush() error {
	err := s.write(s.buf)
	s.buf = s.buf[:0]
	return err
}

func (s *spool) write(data []byte) error {
	if s.file == nil {
		file, err := os.CreateTemp(s.dir, ".checkpoint-*.tmp")
		if err != nil {
			return err
		}
		os.Remove(file.Name()) // if this fails, close removes it
		s.file = file
	}
	n, err := s.file.WriteAt(data, s.inFile)
	s.inFile += int64(n)
	return err
}

func (s *spool) close() {
	if s.file != nil {
		s.file.Close()
		os.Remove(s.file.Name())
	}
}

// peek returns the key of the next record, "" after the last.
func (s *spool) peek() string {
	for s.at+1 < len(s.list) && s.list[s.at].key == s.list[s.at+1].key {
		s.at++ // the later of two records of a stream counts
	}
	if s.at == len(s.list) {
		return ""
	}
	return s.list[s.at].key
}

// forget allows reuse of the memory of the records read so far.
func (s *spool) forget() { s.read = s.read[:0] }

// next reads the next record, valid until forget; nil: the stream is deleted.
func (s *spool) next() ([]byte, error) {
	one := s.list[s.at]
	s.at++
	if one.size < 0 {
		return nil, nil
	}
	if cap(s.read)-len(s.read) < one.size {
		s.read = make([]byte, 0, max(s.most, one.size))
	}
	value := s.read[len(s.read) : len(s.read)+one.size : len(s.read)+one.size]
	s.read = s.read[:len(s.read)+one.size]
	if one.from >= s.inFile {
		copy(value, s.buf[one.from-s.inFile:])
		return value, nil
	}
	if _, err := s.file.ReadAt(value, one.from); err != nil {
		return nil, fault(fmt.Sprintf("cannot read a temporary file beside the checkpoints: %v", err))
	}
	return value, nil
}
