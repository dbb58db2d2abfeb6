package local

import (
	"encoding/binary"
	"fmt"

	"go.etcd.io/bbolt"

	"tracecheck/monitor/checkpoint"
)

// apply writes a share of the steps.
func (w *writer) apply(b, base, into *bbolt.Bucket, number uint32, steps []step) error {
	var keys [][]byte
	for i := range steps {
		s := &steps[i]
		if s.isNext {
			keys = append(keys, s.key)
		}
		value, err := w.count(base, s)
		switch {
		case err != nil:
		case value != nil:
			err = into.Put(s.key, value) // into stays valid: no one writes the other file now
		case base == into:
			err = into.Delete(s.key)
		case w.short:
			err = into.Put(s.key, goneValue(w.p.name, s.key))
		}
		if err != nil {
			return err
		}
	}
	return w.note(b, number, keys)
}

// count updates the tallies by the stream before and after the step.
func (w *writer) count(base *bbolt.Bucket, s *step) (value []byte, err error) {
	var old []byte
	if w.short && base != nil {
		old = base.Get(s.key)
	}
	if old != nil {
		name, _, err := openStream(w.p.name, s.key, old)
		if err != nil {
			return nil, errNotShort
		}
		w.known.Remove(string(name), checkpoint.SealOf(old))
		w.tally.Remove(string(name), checkpoint.SealOf(old))
	}
	value = old
	if s.isLast {
		value = s.last
	}
	if value != nil {
		name, _, err := openStream(w.p.name, s.key, value)
		if err != nil {
			return nil, w.lost(err)
		}
		w.known.Add(string(name), checkpoint.SealOf(value))
	}
	if s.isNext {
		value = s.next
	}
	if value != nil {
		name, _, err := openStream(w.p.name, s.key, value)
		if err != nil {
			return nil, fault("a temporary file of a checkpoint was changed")
		}
		w.tally.Add(string(name), checkpoint.SealOf(value))
	}
	return value, nil
}

// note stores which streams the checkpoint changes, for the next one.
func (w *writer) note(b *bbolt.Bucket, number uint32, keys [][]byte) error {
	if number == 0 && b.Bucket(changedBucket) != nil {
		if err := b.DeleteBucket(changedBucket); err != nil {
			return err
		}
	}
	if w.change.Whole {
		return nil
	}
	changed, err := b.CreateBucketIfNotExists(changedBucket)
	if err != nil || len(keys) == 0 {
		return err
	}
	w.keys += len(keys)
	k := binary.BigEndian.AppendUint32(nil, number)
	return changed.Put(k, sealKeys(w.p.name, k, keys, w.p.n+1))
}

// end makes the checkpoint current.
func (w *writer) end(b *bbolt.Bucket, t top) error {
	if w.last != nil && w.known != w.last.top.tally {
		return w.lost(fmt.Errorf("it has %d streams, but %d were saved", w.known.Streams, w.last.top.tally.Streams))
	}
	t.n, t.before, t.tally, t.head = w.p.n+1, w.p.n > 0 && !w.p.unread, w.tally, w.change.Head
	if t.changed = w.keys; w.change.Whole {
		t.changed = -1
	}
	return putHead(b, t.seal(w.p.name))
}
