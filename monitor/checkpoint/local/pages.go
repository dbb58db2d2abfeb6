package local

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"slices"

	"tracecheck/ingest/foreign"
)

// bbolt trusts its pages. A damaged file can make it read forever, or overflow
// the stack, which no program survives. So each file is checked before bbolt
// opens it. bbolt's internal/common describes the format.

const (
	metaMagic    = 0xED0CDAED
	metaSize     = 64 // with its checksum, after the page's header
	headerSize   = 16 // of a page
	elementSize  = 16 // of a branch and of a leaf
	branchPage   = 0x01
	leafPage     = 0x02
	freePage     = 0x10
	bucketInLeaf = 0x01
	bucketSize   = 16         // before an inline page
	noFreelist   = ^uint64(0) // in a meta page
	manyFree     = 0xFFFF     // a count that does not fit
	mostPage     = 1 << 24    // the largest page, in bytes
	leastPage    = 1 << 10    // the smallest
	mostExtent   = 1<<31 - 1  // a page with its overflow, in bytes
)

var order = binary.NativeEndian

// meta is one of the first two pages.
type meta struct {
	pageSize             int
	root, freelist, high uint64
	txid                 uint64
}

func readMeta(page []byte) (m meta, ok bool) {
	if len(page) < headerSize+metaSize {
		return m, false
	}
	b := page[headerSize:]
	h := fnv.New64a()
	h.Write(b[:metaSize-8])
	m = meta{
		pageSize: int(order.Uint32(b[8:])), root: order.Uint64(b[16:]), freelist: order.Uint64(b[32:]),
		high: order.Uint64(b[40:]), txid: order.Uint64(b[48:]),
	}
	ok = order.Uint32(b) == metaMagic && order.Uint32(b[4:]) == 2 && order.Uint64(b[56:]) == h.Sum64() &&
		m.pageSize >= leastPage && m.pageSize <= mostPage && m.pageSize&(m.pageSize-1) == 0
	return m, ok
}

// errNoMeta is the error of a file with two damaged first pages.
var errNoMeta = errors.New("both of its first pages are damaged")

// metas reads the first two pages; whole reports which are intact.
func metas(file io.ReaderAt) (both [2]meta, whole [2]bool) {
	var buf [headerSize + metaSize]byte
	read := func(at int64) (meta, bool) {
		n, _ := file.ReadAt(buf[:], at)
		return readMeta(buf[:n])
	}
	if both[0], whole[0] = read(0); whole[0] {
		both[1], whole[1] = read(int64(both[0].pageSize))
		return both, whole
	}
	for size := int64(leastPage); size <= mostPage && !whole[1]; size *= 2 {
		if both[1], whole[1] = read(size); whole[1] && int64(both[1].pageSize) != size {
			whole[1] = false
		}
	}
	return both, whole
}

// head returns the beginning of a file.
func head(file io.ReaderAt) []byte {
	buf := make([]byte, 1<<16)
	n, _ := file.ReadAt(buf, 0)
	return buf[:n]
}

// pages is the check of a file.
type pages struct {
	file io.ReaderAt
	size int64
	meta meta
	seen []uint64 // a bit for each page
	buf  []byte
}

// checkPages checks that the file is a valid bbolt file. A damaged first page
// that is not in use is only a note.
func checkPages(file io.ReaderAt, size int64) (note, err error) {
	both, whole := metas(file)
	if !whole[0] && !whole[1] {
		if what := foreign.Name(head(file)); what != "" {
			return nil, otherContent(what)
		}
		return nil, errNoMeta
	}
	p := pages{file: file, size: size, meta: both[0]}
	for i := range both {
		if !whole[i] {
			note = fmt.Errorf("its page %d is damaged or incomplete", i)
			p.meta = both[1-i]
		}
	}
	if note == nil && both[1].txid > both[0].txid {
		p.meta = both[1]
	}
	return note, p.check()
}

func (p *pages) check() error {
	m := &p.meta
	if m.high < 2 || m.high > uint64(p.size)/uint64(m.pageSize) {
		return fmt.Errorf("it has %d bytes, too few for its %d pages", p.size, m.high)
	}
	p.seen = make([]uint64, m.high/64+1)
	for todo := []uint64{m.root}; len(todo) > 0; {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		page, err := p.read(id)
		if err == nil {
			todo, err = elements(page, todo)
		}
		if err != nil {
			return fmt.Errorf("its page %d: %w", id, err)
		}
	}
	if m.freelist == noFreelist {
		return nil
	}
	return p.checkFree()
}

// read reads a page with its overflow, and checks that it is used once.
func (p *pages) read(id uint64) ([]byte, error) {
	if id < 2 || id >= p.meta.high {
		return nil, errors.New("there is no such page")
	}
	size := int64(p.meta.pageSize)
	var header [headerSize]byte
	if _, err := p.file.ReadAt(header[:], int64(id)*size); err != nil {
		return nil, err
	}
	over := uint64(order.Uint32(header[12:]))
	if got := order.Uint64(header[:]); got != id || over >= p.meta.high-id || int64(over+1) > mostExtent/size {
		return nil, fmt.Errorf("its header has page %d, of %d", got, over+1)
	}
	for i := id; i <= id+over; i++ {
		if p.seen[i/64]&(1<<(i%64)) != 0 {
			return nil, errors.New("it is in use twice")
		}
		p.seen[i/64] |= 1 << (i % 64)
	}
	length := int(over+1) * int(size)
	p.buf = slices.Grow(p.buf[:0], length)[:length]
	_, err := p.file.ReadAt(p.buf, int64(id)*size)
	return p.buf, err
}

// elements appends the pages below the page.
func elements(page []byte, below []uint64) ([]uint64, error) {
	flags, count := order.Uint16(page[8:]), int(order.Uint16(page[10:]))
	if flags != branchPage && flags != leafPage || flags == branchPage && count == 0 {
		return below, fmt.Errorf("it has the unknown kind %d", flags)
	}
	if headerSize+count*elementSize > len(page) {
		return below, fmt.Errorf("it has %d entries", count)
	}
	var last []byte
	for i := range count {
		at := headerSize + i*elementSize
		e := page[at : at+elementSize]
		pos, keySize, valueSize := uint64(order.Uint32(e)), uint64(order.Uint32(e[4:])), uint64(0)
		if flags == leafPage {
			pos, keySize, valueSize = uint64(order.Uint32(e[4:])), uint64(order.Uint32(e[8:])), uint64(order.Uint32(e[12:]))
		}
		from := uint64(at) + pos
		if pos < elementSize || from+keySize+valueSize > uint64(len(page)) || keySize == 0 && flags == leafPage {
			return below, fmt.Errorf("its entry %d points outside the page", i)
		}
		key, value := page[from:from+keySize], page[from+keySize:from+keySize+valueSize]
		if i > 0 && string(last) >= string(key) {
			return below, fmt.Errorf("its entry %d is not in order", i)
		}
		last = key
		var err error
		switch {
		case flags == branchPage:
			below = append(below, order.Uint64(e[8:]))
		case order.Uint32(e) == bucketInLeaf:
			below, err = bucket(value, below)
		case order.Uint32(e) != 0:
			err = fmt.Errorf("its entry %d has the unknown kind %d", i, order.Uint32(e))
		}
		if err != nil {
			return below, err
		}
	}
	return below, nil
}

// bucket appends the root page of a bucket, or checks its inline page.
func bucket(value []byte, below []uint64) ([]uint64, error) {
	switch {
	case len(value) < bucketSize:
		return below, errors.New("a bucket ends too early")
	case order.Uint64(value) != 0:
		return append(below, order.Uint64(value)), nil
	case len(value) < bucketSize+headerSize || order.Uint16(value[bucketSize+8:]) != leafPage:
		return below, errors.New("a bucket has no page")
	}
	n := len(below)
	below, err := elements(value[bucketSize:], below)
	if err == nil && len(below) > n {
		err = errors.New("an inline bucket has nested buckets")
	}
	return below, err
}

// checkFree checks that no page of the free list is in use.
func (p *pages) checkFree() error {
	page, err := p.read(p.meta.freelist)
	if err != nil {
		return fmt.Errorf("its list of free pages: %w", err)
	}
	count, list := uint64(order.Uint16(page[10:])), page[headerSize:]
	if count == manyFree {
		count, list = order.Uint64(list), list[8:]
	}
	if order.Uint16(page[8:]) != freePage || count > uint64(len(list)/8) {
		return fmt.Errorf("its list of free pages has room for fewer than %d", count)
	}
	last := uint64(1)
	for i := range count {
		id := order.Uint64(list[8*i:])
		if id <= last || id >= p.meta.high || p.seen[id/64]&(1<<(id%64)) != 0 {
			return fmt.Errorf("page %d is in use, and in its list of free pages", id)
		}
		last = id
	}
	return nil
}
