package local

import "go.etcd.io/bbolt"

// tidy moves current records to the base bucket, and deletes outdated ones, a
// share at a time.
func (p *part) tidy(at int) error {
	more, err := p.isUntidy(at)
	if err != nil {
		return err
	}
	for more {
		err := p.update(at, func(tx *bbolt.Tx) (err error) {
			more, err = p.tidyShare(tx)
			release(tx)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// isUntidy reports whether the part has records to move or delete.
func (p *part) isUntidy(at int) (is bool, err error) {
	h := &p.store.halves[at]
	err = h.guarded(func() error {
		return h.db.View(func(tx *bbolt.Tx) error {
			b := tx.Bucket(partsBucket).Bucket(p.name)
			if b == nil {
				return nil
			}
			t, err := headOf(p.name, b)
			is = err != nil || t.over || b.Bucket(streamsBuckets[1-t.base]) != nil
			return nil
		})
	})
	return is, err
}

// headOf returns the head in a part's bucket; the zero value: there is none.
func headOf(part []byte, b *bbolt.Bucket) (t top, err error) {
	if head := getHead(b); head != nil {
		t, err = openTop(part, head)
	}
	return t, err
}

func (p *part) tidyShare(tx *bbolt.Tx) (more bool, err error) {
	b := tx.Bucket(partsBucket).Bucket(p.name)
	if b == nil {
		return false, nil
	}
	t, err := headOf(p.name, b)
	if err != nil {
		return false, tx.Bucket(partsBucket).DeleteBucket(p.name)
	}
	name := streamsBuckets[1-t.base]
	other, err := b.CreateBucketIfNotExists(name)
	if err != nil {
		return false, err
	}
	var some []entry
	c, size := other.Cursor(), 0
	key, value := c.First()
	for ; key != nil && size < p.store.share; key, value = c.Next() {
		some = append(some, entry{key, value})
		size += len(key) + len(value)
	}
	if t.over {
		if err := p.settle(b, &t, some); err != nil {
			return false, err
		}
	}
	if key == nil { // these are the last
		if err := b.DeleteBucket(name); err != nil || !t.over {
			return false, err
		}
		t.over = false
		return false, putHead(b, t.seal(p.name))
	}
	for i := range some {
		if err := other.Delete(some[i].key); err != nil {
			return false, err
		}
	}
	return true, nil
}

// settle moves records to the base bucket.
func (p *part) settle(b *bbolt.Bucket, t *top, records []entry) error {
	base, err := b.CreateBucketIfNotExists(streamsBuckets[t.base])
	if err != nil {
		return err
	}
	v := view{part: p.name}
	for i := range records {
		key := records[i].key
		value, err := v.live(key, records[i].value)
		if err == nil && value != nil {
			err = base.Put(key, value)
		} else if err == nil {
			err = base.Delete(key)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
