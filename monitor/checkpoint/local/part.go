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
	headKey       = []byte("head")
	streamsBucket = []byte("streams")
)

// part is the checkpoints of one part.
type part struct {
	store  *Store
	name   []byte
	failed bool // the last Save
	unread bool // what there is may be what its owner does not go on from
}

func (p *part) Whole() bool  { return p.failed || p.unread }
func (p *part) Close() error { return nil }

// Save makes a checkpoint in one transaction.
func (p *part) Save(ctx context.Context, c *checkpoint.Change) error {
	if err := ctx.Err(); err != nil {
		p.failed = true
		return err
	}
	if p.failed && !c.Whole {
		return errors.New("the last checkpoint failed, and the next is not of all streams")
	}
	err := p.save(c)
	p.failed = err != nil
	if err != nil {
		return fmt.Errorf("cannot save a checkpoint of %s: %w", p.name, err)
	}
	p.unread = false
	p.store.fit()
	return nil
}

func (p *part) save(c *checkpoint.Change) error {
	s := p.store
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.db == nil {
		return errClosed
	}
	return s.guarded(func() error {
		return s.db.Update(func(tx *bbolt.Tx) error {
			b, err := tx.Bucket(partsBucket).CreateBucketIfNotExists(p.name)
			if err != nil {
				return err
			}
			tally, err := p.replace(b, c)
			if err != nil {
				return err
			}
			return b.Put(headKey, sealHead(tally, c.Head))
		})
	})
}

var errClosed = errors.New("the checkpoints are closed")

// replace puts the streams in, and returns what there is then.
func (p *part) replace(b *bbolt.Bucket, c *checkpoint.Change) (tally checkpoint.Tally, err error) {
	if c.Whole && b.Bucket(streamsBucket) != nil {
		if err := b.DeleteBucket(streamsBucket); err != nil {
			return tally, err
		}
	}
	streams, err := b.CreateBucketIfNotExists(streamsBucket)
	if err != nil {
		return tally, err
	}
	if old := b.Get(headKey); old != nil && !c.Whole {
		if tally, _, err = openHead(old); err != nil {
			return tally, err
		}
	}
	for i := range c.Streams {
		name, state := c.Streams[i].Name, c.Streams[i].State
		key := keyOf(name)
		if old := streams.Get(key); old != nil {
			_, _, sum, err := openStream(old)
			if err != nil {
				return tally, err
			}
			tally.Remove(name, sum)
		}
		if state == nil {
			err = streams.Delete(key)
		} else {
			value := sealStream(name, state)
			tally.Add(name, sumOf(value))
			err = streams.Put(key, value)
		}
		if err != nil {
			return tally, err
		}
	}
	return tally, nil
}

// Load reads from one transaction.
func (p *part) Load(ctx context.Context, head func([]byte) error, stream func(string, []byte) error) (found bool, err error) {
	s := p.store
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.db == nil {
		return false, errClosed
	}
	var tx *bbolt.Tx
	var want, got checkpoint.Tally
	var top []byte
	var cursor *bbolt.Cursor
	err = s.guarded(func() (err error) {
		if tx, err = s.db.Begin(false); err != nil {
			return err
		}
		b := tx.Bucket(partsBucket).Bucket(p.name)
		if b == nil {
			return nil
		}
		if want, top, err = openHead(b.Get(headKey)); err != nil {
			return err
		}
		if streams := b.Bucket(streamsBucket); streams != nil {
			cursor = streams.Cursor()
		}
		return nil
	})
	if tx != nil {
		defer tx.Rollback()
	}
	if err != nil || top == nil {
		p.unread = err != nil
		return false, err
	}
	if err := head(top); err != nil {
		return true, err
	}
	for first := true; cursor != nil; first = false {
		name, state, more, err := s.next(cursor, first, &got)
		if err != nil || !more {
			if err != nil {
				return true, err
			}
			break
		}
		if err := ctx.Err(); err != nil {
			return true, err
		}
		if err := stream(name, state); err != nil {
			return true, err
		}
	}
	if got != want {
		return true, s.damaged(fmt.Errorf("%s has %d streams, and not the %d that were saved", p.name, got.Streams, want.Streams))
	}
	p.unread = false
	return true, nil
}

// next reads a stream. What it returns lives as long as the transaction.
func (s *Store) next(c *bbolt.Cursor, first bool, tally *checkpoint.Tally) (name string, state []byte, more bool, err error) {
	err = s.guarded(func() error {
		var key, value []byte
		if first {
			key, value = c.First()
		} else {
			key, value = c.Next()
		}
		if key == nil {
			return nil
		}
		var sum uint64
		if name, state, sum, err = openStream(value); err != nil {
			return err
		}
		tally.Add(name, sum)
		more = true
		return nil
	})
	return name, state, more, err
}
