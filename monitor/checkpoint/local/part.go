package local

import (
	"context"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"

	"tracecheck/monitor/checkpoint"
)

// What a part's bucket has.
var (
	headBucket     = []byte("about")                          // of its own, since a change of the others writes all else
	headKey        = []byte("head")                           // none: no checkpoint is there
	changedBucket  = []byte("changed")                        // the keys that the checkpoint has changed, in shares
	streamsBuckets = [2][]byte{[]byte("even"), []byte("odd")} // the head says which counts
)

// getHead is the head in a part's bucket; nil: there is none.
func getHead(b *bbolt.Bucket) []byte {
	about := b.Bucket(headBucket)
	if about == nil {
		return nil
	}
	return about.Get(headKey)
}

func putHead(b *bbolt.Bucket, value []byte) error {
	about, err := b.CreateBucketIfNotExists(headBucket)
	if err != nil {
		return err
	}
	return about.Put(headKey, value)
}

// part is the checkpoints of one part.
type part struct {
	store  *Store
	name   []byte
	at     int    // the file that has the last
	n      uint64 // of the last; 0: there is none
	failed bool   // the last Save
	unread bool   // what there is may be what its owner does not go on from
	damage error  // see Damage
	afresh bool   // the other file has nothing to build upon

	changed int // how many streams the last Save was of
}

func (p *part) Whole() bool   { return p.failed || p.unread }
func (p *part) Close() error  { return nil }
func (p *part) Damage() error { return p.damage }

var errClosed = errors.New("the checkpoints are closed")

// lostBase is an error of a checkpoint that the next one builds upon.
type lostBase struct{ err error }

func (l lostBase) Error() string { return l.err.Error() }

// Save makes a checkpoint.
func (p *part) Save(ctx context.Context, c *checkpoint.Change) error {
	if err := ctx.Err(); err != nil {
		p.failed = true
		return err
	}
	if p.Whole() && !c.Whole {
		return errors.New("the first checkpoint of an owner that has loaded none, and that after one that failed, must be of all streams")
	}
	p.failed = true
	news, err := newSpool(p.name, p.store.halves[0].path, p.store.share, p.changed, c)
	if err == nil {
		defer news.close()
		p.changed = len(news.list)
		p.store.saving.Lock()
		err = p.save(c, news)
		p.store.saving.Unlock()
	}
	if err != nil {
		return fmt.Errorf("cannot save a checkpoint of %s: %w", p.name, err)
	}
	p.unread, p.failed = false, false
	p.store.fit()
	p.store.release()
	return nil
}

// save writes into the file that does not have the last checkpoint.
func (p *part) save(c *checkpoint.Change, news *spool) error {
	if p.unread {
		if err := p.find(); err != nil {
			return err
		}
	}
	to := 1 - p.at
	if p.n == 0 {
		to = 0
	}
	write := func() error {
		return p.store.whileOpen(func() error { return p.write(to, c, news) })
	}
	err := write()
	if d, ok := err.(damaged); ok {
		if err = p.store.replace(&p.store.halves[to], d); err == nil {
			err = write()
		}
	}
	if err == nil && p.unread {
		err = p.forget(1 - to) // what it has is of before it began over
	}
	if err == nil {
		p.store.mended[string(p.name)] = true
		p.at, p.n, p.afresh = to, p.n+1, false
	}
	return err
}

// find finds out which file has the last checkpoint, of whatever it is.
func (p *part) find() error {
	p.n = 0
	return p.store.whileOpen(func() error {
		for i := range p.store.halves {
			h := &p.store.halves[i]
			err := h.guarded(func() error {
				return h.db.View(func(tx *bbolt.Tx) error {
					if b := tx.Bucket(partsBucket).Bucket(p.name); b != nil {
						if t, err := openTop(p.name, getHead(b)); err == nil && t.n > p.n {
							p.at, p.n = i, t.n
						}
					}
					return nil
				})
			})
			if _, ok := err.(damaged); err != nil && !ok {
				return err
			}
		}
		return nil
	})
}

// forget deletes the part from a file.
func (p *part) forget(from int) error {
	return p.store.whileOpen(func() error {
		return p.update(from, func(tx *bbolt.Tx) error {
			if tx.Bucket(partsBucket).Bucket(p.name) == nil {
				return nil
			}
			return tx.Bucket(partsBucket).DeleteBucket(p.name)
		})
	})
}

// update changes a file, and keeps the tally of its parts. The store is open.
func (p *part) update(at int, do func(tx *bbolt.Tx) error) error {
	h := &p.store.halves[at]
	err := h.guarded(func() error {
		return h.db.Update(func(tx *bbolt.Tx) error {
			about, parts := tx.Bucket(fileBucket), tx.Bucket(partsBucket)
			tally, err := readTally(about)
			if h.damage != nil || err != nil {
				tally = countParts(tx)
			}
			if b := parts.Bucket(p.name); b != nil {
				tally.Remove(string(p.name), topSum(b))
			}
			if err := do(tx); err != nil {
				return err
			}
			if b := parts.Bucket(p.name); b != nil {
				tally.Add(string(p.name), topSum(b))
			}
			return writeTally(about, tally)
		})
	})
	if err == nil && p.store.ended != nil {
		p.store.ended()
	}
	return err
}
