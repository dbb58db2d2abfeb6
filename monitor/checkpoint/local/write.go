package local

import (
	"errors"

	"go.etcd.io/bbolt"

	"tracecheck/monitor/checkpoint"
)

// write makes a checkpoint in a file.
func (p *part) write(to int, c *checkpoint.Change, news *spool) error {
	err := p.writeBy(to, c, news, !p.afresh)
	if errors.Is(err, errNotShort) {
		err = p.writeBy(to, c, news, false)
	}
	return err
}

// errNotShort is of a checkpoint that is not to be made, or cannot be, of the one
// that the file has.
var errNotShort = errors.New("it is made of a copy")

// writeBy makes it of the one before the last, which is in the same file, or of a
// copy of the last.
func (p *part) writeBy(to int, c *checkpoint.Change, news *spool, short bool) error {
	if err := p.tidy(to); err != nil {
		return err
	}
	news.at = 0
	w := &writer{p: p, to: to, change: c, news: news}
	if c.Whole || p.n == 0 {
		return w.write()
	}
	h := &p.store.halves[p.at]
	return h.guarded(func() error {
		return h.db.View(func(tx *bbolt.Tx) (err error) {
			w.source = tx
			if w.last, err = openLast(h, tx, p.name, p.n); err != nil {
				return lostBase{err}
			}
			w.short = short && w.last.changed != nil
			return w.write()
		})
	})
}

// writer makes one checkpoint.
//
// What is little is one transaction, which changes the streams of the checkpoint
// before the last where they are. Else there are several, so that the memory that
// they take does not grow with the checkpoint: they write into a second bucket,
// and the last of them makes it count, in place of the first one or over it. Then
// what does not count any more is deleted, again in several.
type writer struct {
	p      *part
	to     int
	change *checkpoint.Change
	news   *spool
	short  bool
	last   *last     // nil: there is none, or it does not matter
	source *bbolt.Tx // of last

	had   top              // what the file has of the part; zero: nothing
	known checkpoint.Tally // of the last checkpoint, as far as it was gone through
	tally checkpoint.Tally // of this one
	keys  int              // how many it has changed
	steps []step           // of the share
}

// step is what becomes of a stream.
type step struct {
	key        []byte
	last, next []byte // nil: there is no such stream
	isLast     bool   // the last checkpoint has changed it
	isNext     bool   // this one does
}

func (w *writer) write() error {
	if err := w.begin(); err != nil {
		return err
	}
	steps, over, err := w.share()
	if err != nil {
		return err
	}
	if over {
		return w.update(func(b *bbolt.Bucket) error { return w.inPlace(b, steps) })
	}
	if w.short && 2*(w.last.top.changed+len(w.news.list)) > w.last.top.tally.Streams {
		return errNotShort // it takes more writing
	}
	for number := uint32(0); ; number++ {
		err := w.update(func(b *bbolt.Bucket) error {
			into, err := b.CreateBucketIfNotExists(streamsBuckets[1-w.had.base])
			if err != nil {
				return err
			}
			into.FillPercent = 0.9 // all come in their order: pages need no room for more
			if err := w.apply(b, b.Bucket(streamsBuckets[w.had.base]), into, number, steps); err != nil || !over {
				return err
			}
			t := top{base: w.had.base, over: true}
			if !w.short {
				t = top{base: 1 - w.had.base}
			}
			return w.end(b, t)
		})
		if err != nil {
			return err
		}
		if over {
			return w.p.tidy(w.to)
		}
		if steps, over, err = w.share(); err != nil {
			return err
		}
	}
}

// update changes what the file has of the part.
func (w *writer) update(do func(*bbolt.Bucket) error) error {
	return w.p.update(w.to, func(tx *bbolt.Tx) error {
		b, err := tx.Bucket(partsBucket).CreateBucketIfNotExists(w.p.name)
		if err == nil {
			err = do(b)
		}
		if err == nil {
			release(tx) // before its pages are put together
		}
		return err
	})
}

// begin finds out what the file has.
func (w *writer) begin() error {
	h := &w.p.store.halves[w.to]
	err := h.guarded(func() error {
		return h.db.View(func(tx *bbolt.Tx) (err error) {
			b := tx.Bucket(partsBucket).Bucket(w.p.name)
			if b == nil {
				return nil
			}
			w.had, err = headOf(w.p.name, b)
			return err
		})
	})
	if err != nil || w.last == nil {
		return err
	}
	if w.short = w.short && w.had.n == w.last.top.n-1; w.short {
		w.known, w.tally = w.had.tally, w.had.tally
	} else if w.last.all == nil {
		w.last.goThroughAll()
	}
	return w.pass()
}

// pass goes on in the last checkpoint.
func (w *writer) pass() error {
	if err := w.last.h.guarded(w.last.next); err != nil {
		return w.lost(err)
	}
	return nil
}

// lost is the error of a last checkpoint that is not as it was saved.
func (w *writer) lost(err error) error {
	if w.short {
		return errNotShort
	}
	return lostBase{err}
}

// share returns the next steps, which live until the next call, in the order of
// their keys, and whether these are all that are left.
func (w *writer) share() (steps []step, over bool, err error) {
	w.news.forget()
	steps = w.steps[:0]
	defer func() { w.steps = steps }()
	for size := 0; size < w.p.store.share; {
		var s step
		if w.last != nil && w.last.key != nil {
			s = step{key: w.last.key, last: w.last.value, isLast: true}
		}
		if key := w.news.peek(); key != "" && (s.key == nil || key <= string(s.key)) {
			if key != string(s.key) {
				s = step{key: []byte(key)}
			}
			s.isNext = true
			if s.next, err = w.news.next(); err != nil {
				return nil, false, err
			}
		}
		if s.isLast {
			if err := w.pass(); err != nil {
				return nil, false, err
			}
		}
		if s.key == nil {
			return steps, true, nil
		}
		steps = append(steps, s)
		size += len(s.key) + len(s.next)
		if !s.isNext {
			size += len(s.last)
		}
	}
	if w.last != nil && w.source != nil {
		release(w.source)
	}
	return steps, w.news.peek() == "" && (w.last == nil || w.last.key == nil), nil
}

// inPlace makes the checkpoint in one transaction.
func (w *writer) inPlace(b *bbolt.Bucket, steps []step) error {
	name := streamsBuckets[w.had.base]
	if !w.short && b.Bucket(name) != nil {
		if err := b.DeleteBucket(name); err != nil {
			return err
		}
	}
	streams, err := b.CreateBucketIfNotExists(name)
	if err != nil {
		return err
	}
	if err := w.apply(b, streams, streams, 0, steps); err != nil {
		return err
	}
	return w.end(b, top{base: w.had.base})
}
