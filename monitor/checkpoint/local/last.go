package local

import (
	"errors"
	"fmt"

	"go.etcd.io/bbolt"
)

// last reads the last checkpoint, which is in the other file. The next one
// copies from it what does not change. It visits the streams that the last
// checkpoint has changed, or all.
type last struct {
	h       *half
	part    []byte
	top     top
	view    view
	all     *walk         // nil: the changed ones only
	changed *bbolt.Cursor // batches of their keys
	begun   bool
	keys    [][]byte // the rest of a batch

	key, value []byte // the current stream; no key: at the end; no value: the stream is deleted
}

// openLast opens the last checkpoint of the part, which must be the nth.
func openLast(h *half, tx *bbolt.Tx, part []byte, n uint64) (*last, error) {
	b := tx.Bucket(partsBucket).Bucket(part)
	if b == nil {
		return nil, errors.New("it is missing")
	}
	t, err := openTop(part, getHead(b))
	switch {
	case err != nil:
		return nil, err
	case t.n != n:
		return nil, fmt.Errorf("it has checkpoint %d, expected %d", t.n, n)
	}
	l := &last{h: h, part: part, top: t, view: viewOf(part, b, &t)}
	if changed := b.Bucket(changedBucket); changed != nil && t.changed >= 0 {
		l.changed = changed.Cursor()
	} else {
		l.goThroughAll()
	}
	return l, nil
}

// goThroughAll moves to the first of all streams.
func (l *last) goThroughAll() { l.all = l.view.walk() }

// next moves to the next stream.
func (l *last) next() (err error) {
	if l.all != nil {
		l.key, l.value, err = l.all.next()
		return err
	}
	for l.key = nil; len(l.keys) == 0; l.begun = true {
		step := l.changed.Next
		if !l.begun {
			step = l.changed.First
		}
		number, share := step()
		if number == nil {
			return nil
		}
		var n uint64
		if l.keys, n, err = openKeys(l.part, number, share); err != nil {
			return err
		}
		if n != l.top.n {
			return fmt.Errorf("the keys are those of checkpoint %d, expected %d", n, l.top.n)
		}
	}
	l.key, l.keys = l.keys[0], l.keys[1:]
	l.value, err = l.view.get(l.key)
	return err
}
