package local

import (
	"errors"
	"fmt"

	"go.etcd.io/bbolt"

	"tracecheck/monitor/checkpoint"
)

// write makes a checkpoint in a file.
func (p *part) write(to int, c *checkpoint.Change, records []record) error {
	err := p.writeBy(to, c, records, !p.afresh)
	if errors.Is(err, checkpoint.ErrSeal) { // of a record that it would leave or replace
		err = p.writeBy(to, c, records, false)
	}
	return err
}

// record is a stream as a file has it.
type record struct{ key, value []byte } // no value: there is no such stream any more

// seal makes the records of a checkpoint. From then on its states are parts of
// them: both together would take twice the memory.
func (p *part) seal(c *checkpoint.Change) []record {
	all := make([]record, len(c.Streams))
	for i := range all {
		s := &c.Streams[i]
		if all[i].key = keyOf(s.Name); s.State != nil {
			v := sealStream(p.name, all[i].key, s.Name, s.State)
			all[i].value, s.State = v, v[len(v)-len(s.State):]
		}
	}
	return all
}

// writeBy makes it of the one before the last, which is in the same file, or of a
// copy of the last.
func (p *part) writeBy(to int, c *checkpoint.Change, records []record, short bool) error {
	return p.update(to, func(tx *bbolt.Tx) error {
		b, err := tx.Bucket(partsBucket).CreateBucketIfNotExists(p.name)
		if err != nil {
			return err
		}
		streams, err := b.CreateBucketIfNotExists(streamsBucket)
		if err != nil {
			return err
		}
		w := &writer{part: p.name, streams: streams, soon: make(map[string]passed, len(records))}
		for i := range records {
			w.soon[string(records[i].key)] = passed{}
		}
		if !c.Whole && p.n > 0 {
			err = p.build(b, w, short)
		} else {
			err = w.clear(b)
		}
		if err != nil {
			return err
		}
		for i := range records {
			if err := w.put(&records[i], c.Streams[i].Name); err != nil {
				return err
			}
		}
		if c.Whole {
			err = b.Delete(changedKey)
		} else {
			err = b.Put(changedKey, sealKeys(p.name, records))
		}
		if err != nil {
			return err
		}
		release(tx) // before its pages are put together
		t := top{n: p.n + 1, before: p.n > 0 && !p.unread, tally: w.tally, head: c.Head}
		return b.Put(headKey, t.seal(p.name))
	})
}

// build makes of what the bucket has what the last checkpoint has, which is in
// the other file.
func (p *part) build(b *bbolt.Bucket, w *writer, short bool) error {
	h := &p.store.halves[p.at]
	err := h.guarded(func() error {
		return h.db.View(func(tx *bbolt.Tx) error {
			defer release(tx)
			last := tx.Bucket(partsBucket).Bucket(p.name)
			if last == nil {
				return errors.New("it is gone")
			}
			t, err := openTop(p.name, last.Get(headKey))
			switch {
			case err != nil:
				return err
			case t.n != p.n:
				return fmt.Errorf("it has checkpoint %d, and not %d", t.n, p.n)
			}
			from := last.Bucket(streamsBucket)
			if from == nil {
				return errors.New("it has no streams")
			}
			if changed := last.Get(changedKey); changed != nil && short {
				keys, bad := openKeys(p.name, changed)
				old, gone := openTop(p.name, b.Get(headKey))
				if bad == nil && gone == nil && old.n == p.n-1 {
					w.tally = old.tally
					if w.follow(from, keys, t.tally) == nil {
						return nil
					}
				}
			}
			if err := w.clear(b); err != nil {
				return err
			}
			return w.copy(from, t.tally)
		})
	})
	if err != nil {
		return lostBase{err}
	}
	return nil
}

// writer writes the streams of a part.
type writer struct {
	part    []byte
	streams *bbolt.Bucket
	tally   checkpoint.Tally
	soon    map[string]passed // by key, those that the checkpoint itself changes
}

// clear deletes all there is.
func (w *writer) clear(b *bbolt.Bucket) (err error) {
	w.tally = checkpoint.Tally{}
	for key := range w.soon {
		w.soon[key] = passed{}
	}
	if err = b.DeleteBucket(streamsBucket); err == nil {
		if w.streams, err = b.CreateBucket(streamsBucket); err == nil {
			w.streams.FillPercent = 0.9 // all come now, in their order: pages need no room for more
		}
	}
	return err
}

// passed is a stream of the last checkpoint that was not taken over, since the
// next one replaces it.
type passed struct {
	is, there bool
	sum       uint64
}

// put replaces a stream, or deletes it.
func (w *writer) put(r *record, name string) error {
	key := r.key
	if last := w.soon[string(key)]; last.is {
		if last.there {
			w.tally.Remove(name, last.sum)
		}
	} else if old := w.streams.Get(key); old != nil {
		if _, _, err := openStream(w.part, key, old); err != nil {
			return err
		}
		w.tally.Remove(name, checkpoint.SealOf(old))
	}
	if r.value == nil {
		return w.streams.Delete(key)
	}
	w.tally.Add(name, checkpoint.SealOf(r.value))
	return w.streams.Put(key, r.value)
}

// follow takes over the streams under the keys, after which there must be what
// the tally says.
func (w *writer) follow(from *bbolt.Bucket, keys [][]byte, want checkpoint.Tally) error {
	for _, key := range keys {
		old, value := w.streams.Get(key), from.Get(key)
		if old != nil {
			name, _, err := openStream(w.part, key, old)
			if err != nil {
				return err
			}
			w.tally.Remove(name, checkpoint.SealOf(old))
		}
		var err error
		switch _, soon := w.soon[string(key)]; {
		case value != nil:
			err = w.take(key, value)
		case soon:
			w.soon[string(key)] = passed{is: true}
		default:
			err = w.streams.Delete(key)
		}
		if err != nil {
			return err
		}
	}
	return w.is(want)
}

// copy takes over all streams.
func (w *writer) copy(from *bbolt.Bucket, want checkpoint.Tally) error {
	c := from.Cursor()
	for key, value := c.First(); key != nil; key, value = c.Next() {
		if err := w.take(key, value); err != nil {
			return err
		}
	}
	return w.is(want)
}

func (w *writer) take(key, value []byte) error {
	name, _, err := openStream(w.part, key, value)
	if err != nil {
		return err
	}
	sum := checkpoint.SealOf(value)
	w.tally.Add(name, sum)
	if _, soon := w.soon[string(key)]; soon {
		w.soon[string(key)] = passed{is: true, there: true, sum: sum}
		return nil
	}
	return w.streams.Put(key, value) // which stays where it is: nobody writes the other file now
}

func (w *writer) is(want checkpoint.Tally) error {
	if w.tally != want {
		return fmt.Errorf("it has %d streams, and not the %d that were saved", w.tally.Streams, want.Streams)
	}
	return nil
}
