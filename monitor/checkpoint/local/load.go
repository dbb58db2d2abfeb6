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
	sure  bool  // there is reliable: nothing that could hold the part is damaged
	stale bool  // it may lack the file's last transaction
	file  error // damage outside the part; nil: none
	err   error // why it cannot be used; nil: it can, or it is missing
	top   top
	size  int64 // of its streams, in bytes
	tx    *bbolt.Tx
	view  view
}

// hold reads and checks all that a file has of a part.
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
			return damaged{h.path, fmt.Errorf("%s has %d streams, but %d were saved", part, tally.Streams, got.top.tally.Streams)}
		}
		return nil
	})
	if err != nil {
		got.there, got.err = true, err
	}
	return got
}

// newer returns which of the two to resume from; less than 0: neither.
func newer(both *[2]held) int {
	at := -1
	for i := range both {
		if h := &both[i]; h.there && h.err == nil && (at < 0 || h.top.n > both[at].top.n) {
			at = i
		}
	}
	// If one is lost, the other must be at most one checkpoint older.
	if at >= 0 && both[at].stale && (both[1-at].err != nil || both[1-at].file != nil) {
		return -1
	}
	return at
}

// faults returns the damage of the part, if judging resumes from one of the
// two, or from neither.
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

// Load reads in one transaction of each file.
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
			if !both[i].there && both[i].sure { // the damaged checkpoint was the first one
				p.n, p.unread = 0, false
				return false, nil
			}
		}
		return true, fault(fmt.Sprintf("the last two checkpoints are damaged (%s): restore a backup, or use --start-over, which discards them", strings.ReplaceAll(p.damage.Error(), "\n", "; ")))
	}
	if err := head(both[at].top.head); err != nil {
		return true, err
	}
	if err := both[at].each(ctx, &s.halves[at], p.name, stream); err != nil {
		return true, err
	}
	p.at, p.n, p.unread, p.noBase = at, both[at].top.n, false, both[1-at].err != nil
	return true, nil
}

// each yields the streams. They are valid during the transaction.
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

// releaseRead releases the memory of pages that were read, if it is large. It
// returns the bytes read since the last release.
func releaseRead(tx *bbolt.Tx, read int) int {
	if read < defaultShare {
		return read
	}
	release(tx)
	return 0
}
