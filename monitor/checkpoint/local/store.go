// Package local keeps checkpoints in a pair of files, for one monitor at a time.
//
// The checkpoints of a part take turns between the two files, so that the one
// before the last is always whole in the other one: each has all of a part's
// streams. A checkpoint writes what has changed since the one before it in the
// same file, which is what the last two have changed. That one stays whole until
// the new one is: what is much is first written beside it, in many transactions,
// and the last of these makes it count.
package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"go.etcd.io/bbolt"
	"go.uber.org/zap"

	"tracecheck/monitor/checkpoint"
)

// version is that of what is in a file.
const version = "3"

const (
	// lockWait is how long another process may hold the file.
	lockWait = time.Second
	// batch is how much is copied at once when a file is compacted, in bytes.
	batch = 8 << 20
	// defaultShare is how much of a checkpoint is written in one transaction, in bytes.
	defaultShare = 2 << 20
)

// OtherSuffix is what the name of the other file of a pair has at its end.
const OtherSuffix = ".alt"

// limit says when a file is compacted.
type limit struct {
	size int64   // a file that is smaller is no burden, in bytes
	free float64 // the part of it that is free
}

var defaultLimit = limit{size: 64 << 20, free: 0.75}

// Options say how a pair of files is opened.
type Options struct {
	StartOver bool // a file that cannot be used is set aside
	Log       *zap.Logger

	limit  limit  // the zero value: defaultLimit
	share  int    // 0: defaultShare
	noSync bool   // in tests: nothing need outlive the machine
	ended  func() // in tests: called after each transaction of a checkpoint
}

// Store is a pair of files of checkpoints.
type Store struct {
	log   *zap.Logger
	limit limit
	share int
	ended func()

	saving sync.Mutex   // one at a time: two of them could wait for each other
	mu     sync.RWMutex // of halves; who replaces a file has it alone
	halves [2]half
	closed bool
	mended map[string]bool // parts that were written since damage was found
}

// Open opens the files, and makes them where there are none. They are the
// caller's alone until Close. Where one of them is damaged, it is kept under
// another name, and the other one counts.
func Open(path string, o Options) (*Store, error) {
	s := &Store{log: o.Log, limit: o.limit, share: cmp.Or(o.share, defaultShare), ended: o.ended, mended: map[string]bool{}}
	if s.log == nil {
		s.log = zap.NewNop()
	}
	if s.limit == (limit{}) {
		s.limit = defaultLimit
	}
	for i, p := range []string{path, path + OtherSuffix} {
		s.halves[i].path, s.halves[i].noSync = p, o.noSync
	}
	if err := s.open(o.StartOver); err != nil {
		s.Close()
		return nil, err
	}
	s.fit()
	return s, nil
}

func (s *Store) open(startOver bool) error {
	var failed [2]error
	for i := range s.halves {
		h := &s.halves[i]
		err := h.open()
		switch err.(type) {
		case nil:
		case damaged, wrongVersion, foreign:
			failed[i] = err
			h.leave()
		default:
			return err
		}
	}
	for i, err := range failed {
		if f, ok := err.(foreign); ok {
			if i == 0 && s.halves[1].id == "" {
				return err // nothing says that it was ever ours
			}
			failed[i] = damaged{f.path, errors.New("it has nothing of what it should")}
		}
	}
	if err := s.choose(&failed, startOver); err != nil {
		return err
	}
	return s.pair(&failed)
}

// choose sets aside what cannot be used, unless nothing would be left.
func (s *Store) choose(failed *[2]error, startOver bool) error {
	for i, err := range failed {
		other := &s.halves[1-i]
		if _, ok := err.(wrongVersion); ok && !startOver {
			return err
		}
		if err != nil && !startOver && (failed[1-i] != nil || other.id == "") {
			return fault(fmt.Sprintf("the checkpoints cannot be gone on from: %v, and there are none in %s: restore a backup, or begin over with --start-over, which forgets what was judged", err, other.path))
		}
	}
	for i, err := range failed {
		if err == nil {
			continue
		}
		h := &s.halves[i]
		s.log.Error("a file of checkpoints cannot be used; it is kept under another name", zap.Error(err), zap.String("as", h.path+asideSuffix))
		if err := h.setAside(); err != nil {
			return err
		}
		if err := h.open(); err != nil {
			return err
		}
	}
	return nil
}

// pair makes files that are new, and sees that each is of the same pair.
func (s *Store) pair(failed *[2]error) error {
	a, b := &s.halves[0], &s.halves[1]
	if a.id != "" && b.id != "" && a.id != b.id {
		s.log.Warn("a file of checkpoints is of others; it is kept under another name", zap.String("file", b.path), zap.String("of", a.path))
		if err := b.setAside(); err != nil {
			return err
		}
		if err := b.open(); err != nil {
			return err
		}
		a.alone = true
	}
	id := a.id
	if id == "" {
		id = b.id
	}
	both := id == ""
	if both {
		id = newID()
	}
	for i := range s.halves {
		h, other := &s.halves[i], &s.halves[1-i]
		if h.id != "" {
			continue
		}
		if err := h.make(id, false); err != nil {
			return err
		}
		switch {
		case failed[i] != nil:
			h.damage = failed[i]
		case !both && !other.alone && other.hasParts():
			h.damage = damaged{h.path, errors.New("it was missing")}
		}
	}
	if err := syncDir(filepath.Dir(a.path)); err != nil { // a new file's name is to outlive the machine, too
		return fault(fmt.Sprintf("cannot use the folder of the checkpoints %s: %v", a.path, err))
	}
	return a.joined()
}

func (h *half) hasParts() bool {
	var t checkpoint.Tally
	err := h.guarded(func() error { return h.db.View(func(tx *bbolt.Tx) error { t = countParts(tx); return nil }) })
	return err != nil || t.Streams > 0
}

// joined notes that the file is one of a pair.
func (h *half) joined() error {
	if !h.alone {
		return nil
	}
	h.alone = false
	return h.guarded(func() error {
		return h.db.Update(func(tx *bbolt.Tx) error { return tx.Bucket(fileBucket).Delete(aloneKey) })
	})
}

// Open does not look for the part: Load does.
func (s *Store) Open(_ context.Context, name string) (checkpoint.Part, error) {
	return &part{store: s, name: []byte(name), unread: true}, nil
}

// Close gives the files up.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return errors.Join(s.halves[0].close(), s.halves[1].close())
}

// whileOpen does something with the files, which stay the same meanwhile.
func (s *Store) whileOpen(do func() error) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return errClosed
	}
	return do()
}

// fit compacts a file where most of it is free: it does not shrink by itself.
func (s *Store) fit() {
	for i := range s.halves {
		h := &s.halves[i]
		err := h.guarded(func() error {
			s.mu.RLock()
			wasted, err := !s.closed, error(nil)
			if wasted {
				wasted, err = h.isWasted(s.limit)
			}
			s.mu.RUnlock()
			if err != nil || !wasted {
				return err
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.closed {
				return nil
			}
			return h.compact()
		})
		if err != nil {
			s.log.Warn("cannot compact the checkpoints; going on with the larger file", zap.String("file", h.path), zap.Error(err))
		}
	}
}

// isMended reports whether what is damaged of the files is not about the part any
// more.
func (s *Store) isMended(part []byte) bool {
	s.saving.Lock()
	defer s.saving.Unlock()
	return s.mended[string(part)]
}

// replace sets a file aside that has shown to be damaged, and makes a new one.
func (s *Store) replace(h *half, why error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	s.log.Error("a file of checkpoints is damaged; it is kept under another name, and written again", zap.Error(why), zap.String("as", h.path+asideSuffix))
	id := h.id
	if err := h.setAside(); err != nil {
		return err
	}
	if err := h.open(); err != nil {
		return err
	}
	err := h.make(id, false)
	h.damage = why
	clear(s.mended)
	return err
}

// release gives back the memory of what was read of the files.
func (s *Store) release() {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return
	}
	for i := range s.halves {
		h := &s.halves[i]
		h.guarded(func() error { return h.db.View(func(tx *bbolt.Tx) error { release(tx); return nil }) })
	}
}
