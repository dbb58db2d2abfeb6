package local

import (
	"context"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"

	"tracecheck/monitor/checkpoint"
)

// The keys of a part's bucket.
var (
	headBucket     = []byte("about")                          // a separate bucket: changing it rewrites its siblings
	headKey        = []byte("head")                           // none: there is no checkpoint
	changedBucket  = []byte("changed")                        // the keys that the checkpoint has changed, in batches
	streamsBuckets = [2][]byte{[]byte("even"), []byte("odd")} // the head has the current one
)

// getHead returns the head in a part's bucket; nil: there is none.
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

// part is the checkpoint.Part of this store.
type part struct {
	store  *Store
	name   []byte
	at     int    // index of the file with the last checkpoint
	n      uint64 // number of the last checkpoint; 0: there is none
	failed bool   // the last Save failed
	unread bool   // the owner has not loaded the existing checkpoint
	damage error  // see Damage
	noBase bool   // the other file has nothing to build on

	changed int // streams in the last Save
}

func (p *part) Whole() bool   { return p.failed || p.unread }
func (p *part) Close() error  { return nil }
func (p *part) Damage() error { return p.damage }

var errClosed = errors.New("the checkpoints are closed")

// lostBase is an error of the checkpoint that the next one builds on.
type lostBase struct{ err error }

func (l lostBase) Error() string { return l.err.Error() }

// Save implements checkpoint.Part.
func (p *part) Save(ctx context.Context, c *checkpoint.Change) error {
	if err := ctx.Err(); err != nil {
		p.failed = true
		return err
	}
	if p.Whole() && !c.Whole {
		return errors.New("a checkpoint must have all streams if none was loaded, or if the last one failed")
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

// save writes to the file that does not have the last checkpoint.
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
		err = p.forget(1 - to) // its content is from before the owner started over
	}
	if err == nil {
		p.store.mended[string(p.name)] = true
		p.at, p.n, p.noBase = to, p.n+1, false
	}
	return err
}

// find finds the file with the last checkpoint of any owner.
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

// update changes a file, and its tally of parts. The store is open.
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
