package local

import (
	"bytes"

	"go.etcd.io/bbolt"

	"tracecheck/monitor/checkpoint"
)

// view is the streams of a checkpoint: the base, with overriding records.
type view struct {
	part       []byte
	base, over *bbolt.Bucket // nil: empty
}

// viewOf returns the view of a part's bucket with the head t.
func viewOf(part []byte, b *bbolt.Bucket, t *top) view {
	v := view{part: part, base: b.Bucket(streamsBuckets[t.base])}
	if t.over {
		v.over = b.Bucket(streamsBuckets[1-t.base])
	}
	return v
}

// get returns the record under the key; nil: there is none.
func (v *view) get(key []byte) ([]byte, error) {
	if v.over != nil {
		if value := v.over.Get(key); value != nil {
			return v.live(key, value)
		}
	}
	if v.base == nil {
		return nil, nil
	}
	return v.base.Get(key), nil
}

// live returns the value, or nil if it marks a deleted stream.
func (v *view) live(key, value []byte) ([]byte, error) {
	if len(value) != checkpoint.SealSize {
		return value, nil
	}
	_, err := checkpoint.Unseal(placeOf(v.part, key), value)
	return nil, err
}

// goneValue marks a deleted stream.
func goneValue(part, key []byte) []byte { return checkpoint.Seal(placeOf(part, key), room(0)) }

// walk iterates over a view, in the order of the keys.
type walk struct {
	view
	streams [2]entry // the next record of each bucket
	cursors [2]*bbolt.Cursor
}

type entry struct{ key, value []byte }

// walk starts at the first record.
func (v view) walk() *walk {
	w := &walk{view: v}
	for i, b := range []*bbolt.Bucket{v.base, v.over} {
		if b != nil {
			w.cursors[i] = b.Cursor()
			w.streams[i].key, w.streams[i].value = w.cursors[i].First()
		}
	}
	return w
}

// next returns the next record; its key is nil after the last.
func (w *walk) next() (key, value []byte, err error) {
	for {
		base, over := w.streams[0], w.streams[1]
		if over.key == nil || base.key != nil && bytes.Compare(base.key, over.key) < 0 {
			w.step(0)
			return base.key, base.value, nil
		}
		w.step(1)
		if bytes.Equal(base.key, over.key) {
			w.step(0)
		}
		if value, err = w.live(over.key, over.value); err != nil || value != nil {
			return over.key, value, err
		}
	}
}

func (w *walk) step(i int) {
	if w.streams[i].key != nil {
		w.streams[i].key, w.streams[i].value = w.cursors[i].Next()
	}
}
