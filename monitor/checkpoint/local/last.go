package local

import (
	"errors"
	"fmt"

	"go.etcd.io/bbolt"
)

// last is the last checkpoint, which is in the other file: the next one takes from
// it what it does not change. It goes through the streams that the last one has
// changed, or through all.
type last struct {
	h       *half
	part    []byte
	top     top
	view    view
	all     *walk         // nil: those that have changed
	changed *bbolt.Cursor // shares of their keys
	begun   bool
	keys    [][]byte // what is left of a share

	key, value []byte // where it is; no key: at the end; no value: the stream is gone
}

// openLast finds the last checkpoint of the part, which must be the nth.
func openLast(h *half, tx *bbolt.Tx, part []byte, n uint64) (*last, error) {
	b := tx.Bucket(partsBucket).Bucket(part)
	if b == nil {
		return nil, errors.New("it is gone")
	}
	t, err := openTop(part, getHead(b))
	switch {
	case err != nil:
		return nil, err
	case t.n != n:
		return nil, fmt.Errorf("it has checkpoint %d, and not %d", t.n, n)
	}
	l := &last{h: h, part: part, top: t, view: viewOf(part, b, &t)}
	if changed := b.Bucket(changedBucket); changed != nil && t.changed >= 0 {
		l.changed = changed.Cursor()
	} else {
		l.goThroughAll()
	}
	return l, nil
}

// goThroughAll goes to the beginning of all streams.
func (l *last) goThroughAll() { l.all = l.view.walk() }

// next goes to the next stream.
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
			return fmt.Errorf("the keys are those that checkpoint %d has changed, and not %d", n, l.top.n)
		}
	}
	l.key, l.keys = l.keys[0], l.keys[1:]
	l.value, err = l.view.get(l.key)
	return err
}
