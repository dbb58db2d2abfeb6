package local

import (
	"bytes"

	"go.etcd.io/bbolt"

	"tracecheck/monitor/checkpoint"
)

// view is the streams of a checkpoint: those of its base, but for what is over it.
type view struct {
	part       []byte
	base, over *bbolt.Bucket // nil: nothing is there
}

// viewOf is the view of a part's bucket, of which the head says so.
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
			return v.standing(key, value)
		}
	}
	if v.base == nil {
		return nil, nil
	}
	return v.base.Get(key), nil
}

// standing is the value, or nil where it says that the stream is gone.
func (v *view) standing(key, value []byte) ([]byte, error) {
	if len(value) != checkpoint.SealSize {
		return value, nil
	}
	_, err := checkpoint.Unseal(placeOf(v.part, key), value)
	return nil, err
}

// goneValue is what is over a stream that is gone.
func goneValue(part, key []byte) []byte { return checkpoint.Seal(placeOf(part, key), room(0)) }

// walk goes through a view, in the order of the keys.
type walk struct {
	view
	streams [2]entry // the next of the base, and of what is over it
	cursors [2]*bbolt.Cursor
}

type entry struct{ key, value []byte }

// walk begins at the first.
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
		if value, err = w.standing(over.key, over.value); err != nil || value != nil {
			return over.key, value, err
		}
	}
}

func (w *walk) step(i int) {
	if w.streams[i].key != nil {
		w.streams[i].key, w.streams[i].value = w.cursors[i].Next()
	}
}
