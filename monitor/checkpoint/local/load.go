package local

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.etcd.io/bbolt"

	"tracecheck/monitor/checkpoint"
)

// held is what a file has of a part.
type held struct {
	there bool  // it has the part
	sure  bool  // if not, it never had
	stale bool  // it may lack the file's last transaction
	file  error // what of the file is damaged; nil: nothing
	err   error // why it cannot be gone on from; nil: it can, or it is not there
	top   top
	size  int64 // of its streams, in bytes
	tx    *bbolt.Tx
	view  view
}

// hold looks at what a file has of a part, all of it.
func (h *half) hold(tx *bbolt.Tx, part []byte) (got held) {
	got.sure = true
	err := h.guarded(func() (err error) {
		b := tx.Bucket(partsBucket).Bucket(part)
		if got.there = b != nil && getHead(b) != nil; !got.there {
			return nil
		}
		if got.top, err = openTop(part, getHead(b)); err != nil {
			return damaged{h.path, fmt.Errorf("the head of %s: %w", part, err)}
		}
		got.tx, got.view = tx, viewOf(part, b, &got.top)
		var tally checkpoint.Tally
		w, read := got.view.walk(), 0
		for {
			key, value, err := w.next()
			if err == nil && key == nil {
				break
			}
			var name []byte
			if err == nil {
				name, _, err = openStream(part, key, value)
			}
			if err != nil {
				return damaged{h.path, fmt.Errorf("a stream of %s: %w", part, err)}
			}
			tally.Add(string(name), checkpoint.SealOf(value))
			got.size += int64(len(value))
			read = releaseRead(tx, read+len(value))
		}
		if tally != got.top.tally {
			return damaged{h.path, fmt.Errorf("%s has %d streams, and not the %d that were saved", part, tally.Streams, got.top.tally.Streams)}
		}
		return nil
	})
	if err != nil {
		got.there, got.err = true, err
	}
	return got
}

// newer is which of the two is to be gone on from; less than 0: neither.
func newer(both *[2]held) int {
	at := -1
	for i := range both {
		if h := &both[i]; h.there && h.err == nil && (at < 0 || h.top.n > both[at].top.n) {
			at = i
		}
	}
	// Where one is gone, the other one must not be older than the one before that.
	if at >= 0 && both[at].stale && (both[1-at].err != nil || both[1-at].file != nil) {
		return -1
	}
	return at
}

// faults says what of the part is damaged, where one of the two is gone on from,
// or neither is.
func (s *Store) faults(both *[2]held, at int) (err error) {
	for i := range both {
		h := &both[i]
		switch {
		case h.err != nil:
			err = errors.Join(err, h.err)
		case h.file != nil:
			err = errors.Join(err, h.file)
		case at >= 0 && i != at && !h.there && both[at].top.before:
			err = errors.Join(err, damaged{s.halves[i].path, errors.New("a part is missing")})
		}
	}
	return err
}

// Load reads from one transaction of each file.
func (p *part) Load(ctx context.Context, head func([]byte) error, stream func(string, []byte) error) (found bool, err error) {
	s := p.store
	defer s.release()
	mended := s.isMended(p.name)
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return false, errClosed
	}
	p.unread = true
	var both [2]held
	for i := range s.halves {
		h := &s.halves[i]
		var tx *bbolt.Tx
		err := h.guarded(func() (err error) { tx, err = h.db.Begin(false); return err })
		if err != nil {
			return false, err
		}
		defer tx.Rollback()
		both[i] = h.hold(tx, p.name)
		if mended {
			continue
		}
		both[i].sure, both[i].stale, both[i].file = h.damage == nil, h.stale, h.damage
	}
	at := newer(&both)
	p.damage = s.faults(&both, at)
	if at < 0 {
		for i := range both {
			if !both[i].there && both[i].sure { // there was no checkpoint before the one that is damaged
				p.n, p.unread = 0, false
				return false, nil
			}
		}
		return true, fault(fmt.Sprintf("both the last checkpoint and the one before it are damaged (%s): restore a backup, or begin over with --start-over, which forgets what was judged", strings.ReplaceAll(p.damage.Error(), "\n", "; ")))
	}
	if err := head(both[at].top.head); err != nil {
		return true, err
	}
	if err := both[at].each(ctx, &s.halves[at], p.name, stream); err != nil {
		return true, err
	}
	p.at, p.n, p.unread, p.afresh = at, both[at].top.n, false, both[1-at].err != nil
	return true, nil
}

// each yields the streams, which live as long as the transaction.
func (got *held) each(ctx context.Context, h *half, part []byte, stream func(string, []byte) error) error {
	if !got.there {
		return nil
	}
	w, read := got.view.walk(), 0
	for {
		var key, name, state []byte
		err := h.guarded(func() (err error) {
			var value []byte
			if key, value, err = w.next(); err == nil && key != nil {
				name, state, err = openStream(part, key, value)
			}
			return err
		})
		if err != nil || key == nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := stream(string(name), state); err != nil {
			return err
		}
		read = releaseRead(got.tx, read+len(state))
	}
}

// releaseRead gives the memory of what was read back, where that is much, and
// returns how much was read since, in bytes.
func releaseRead(tx *bbolt.Tx, read int) int {
	if read < defaultShare {
		return read
	}
	release(tx)
	return 0
}
