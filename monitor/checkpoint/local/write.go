package local

import (
	"errors"

	"go.etcd.io/bbolt"

	"tracecheck/monitor/checkpoint"
)

// write writes a checkpoint to a file.
func (p *part) write(to int, c *checkpoint.Change, news *spool) error {
	err := p.writeBy(to, c, news, !p.noBase)
	if errors.Is(err, errNotShort) {
		err = p.writeBy(to, c, news, false)
	}
	return err
}

// errNotShort means that a checkpoint must be built from a copy of the last one.
var errNotShort = errors.New("it must be built from a copy")

// writeBy builds it on the checkpoint before the last, in the same file, or on
// a copy of the last one.
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

// writer writes one checkpoint.
//
// A small checkpoint is one transaction, which updates the streams of the
// file's checkpoint in place. A large one needs several, so that memory does
// not grow with it. They write to a second bucket. The last of them makes that
// bucket current, instead of the base or over it. Then outdated records are
// deleted, again in several transactions.
type writer struct {
	p      *part
	to     int
	change *checkpoint.Change
	news   *spool
	short  bool
	last   *last     // nil: there is none, or it is not needed
	source *bbolt.Tx // of last

	had   top              // what the file has of the part; zero: nothing
	known checkpoint.Tally // of the last checkpoint, as far as it was read
	tally checkpoint.Tally // of this one
	keys  int              // streams changed so far
	steps []step           // the current share
}

// step is the change of a stream.
type step struct {
	key        []byte
	last, next []byte // nil: no such stream
	isLast     bool   // the last checkpoint has changed it
	isNext     bool   // this one changes it
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
		return errNotShort // another way needs less writing
	}
	for number := uint32(0); ; number++ {
		err := w.update(func(b *bbolt.Bucket) error {
			into, err := b.CreateBucketIfNotExists(streamsBuckets[1-w.had.base])
			if err != nil {
				return err
			}
			into.FillPercent = 0.9 // keys come in order: pages need no free room
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

// update changes the part's bucket in the file.
func (w *writer) update(do func(*bbolt.Bucket) error) error {
	return w.p.update(w.to, func(tx *bbolt.Tx) error {
		b, err := tx.Bucket(partsBucket).CreateBucketIfNotExists(w.p.name)
		if err == nil {
			err = do(b)
		}
		if err == nil {
			release(tx) // before its pages are rewritten
		}
		return err
	})
}

// begin reads what the file has.
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

// pass moves to the next stream of the last checkpoint.
func (w *writer) pass() error {
	if err := w.last.h.guarded(w.last.next); err != nil {
		return w.lost(err)
	}
	return nil
}

// lost is the error of a last checkpoint that does not match its tally.
func (w *writer) lost(err error) error {
	if w.short {
		return errNotShort
	}
	return lostBase{err}
}

// share returns the next steps in the order of their keys, valid until the next
// call. over reports that they are the last.
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

// inPlace writes the checkpoint in one transaction.
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
