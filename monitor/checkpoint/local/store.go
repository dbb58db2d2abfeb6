// Package local stores checkpoints in a pair of files, for one monitor at a
// time.
//
// Checkpoints of a part alternate between the two files. So the previous one is
// always intact in the other file: each file has all streams of a part. A
// checkpoint writes what has changed since the previous checkpoint in the same
// file, which is two checkpoints ago. That one stays intact until the new one
// is complete. A large checkpoint is written beside it in many transactions.
// The last transaction makes it current.
package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"go.etcd.io/bbolt"
	"go.uber.org/zap"

	"tracecheck/monitor/checkpoint"
)

// version is the version of the file format.
const version = "3"

const (
	// lockWait is how long to wait for another process's lock.
	lockWait = time.Second
	// batch is the size of a transaction of compaction, in bytes.
	batch = 8 << 20
	// defaultShare is the size of a checkpoint's transaction, in bytes.
	defaultShare = 2 << 20
)

// OtherSuffix is the suffix of the second file of a pair.
const OtherSuffix = ".alt"

// limit sets when to compact a file.
type limit struct {
	size int64   // smaller files are not compacted, in bytes
	free float64 // the free share of the file, from 0 to 1
}

var defaultLimit = limit{size: 64 << 20, free: 0.75}

// Options are the settings of a Store.
type Options struct {
	StartOver bool // rename files that cannot be used
	Log       *zap.Logger

	limit  limit  // the zero value: defaultLimit
	share  int    // 0: defaultShare
	noSync bool   // in tests: do not sync
	ended  func() // in tests: called after each transaction of a checkpoint
}

// Store is a checkpoint.Store in a pair of files.
type Store struct {
	log   *zap.Logger
	limit limit
	share int
	ended func()

	saving sync.Mutex   // one at a time: two could deadlock
	mu     sync.RWMutex // guards halves; replacing a file needs the write lock
	halves [2]half
	closed bool
	mended map[string]bool // parts that were written since damage was found
}

// Open opens or creates the files, and locks them until Close. A damaged file
// is renamed, and the other one is used.
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
		case damaged, wrongVersion, notOurs:
			failed[i] = err
			h.leave()
			if _, other := err.(notOurs); other && i == 0 {
				if _, lacks := os.Stat(s.halves[1].path); lacks != nil {
					return err // leave no file beside it
				}
			}
		default:
			return err
		}
	}
	for i, err := range failed {
		if f, ok := err.(notOurs); ok {
			if i == 0 && s.halves[1].id == "" {
				return err // it may not be a checkpoint file at all
			}
			failed[i] = damaged{f.path, errors.New("it is not a checkpoint file")}
		}
	}
	if err := s.choose(&failed, startOver); err != nil {
		return err
	}
	return s.pair(&failed)
}

// choose renames unusable files, unless no usable one would remain.
func (s *Store) choose(failed *[2]error, startOver bool) error {
	for i, err := range failed {
		other := &s.halves[1-i]
		if _, ok := err.(wrongVersion); ok && !startOver {
			return err
		}
		if err != nil && !startOver && (failed[1-i] != nil || other.id == "") {
			also := cmp.Or[error](failed[1-i], fault("there are none in "+other.path))
			return fault(fmt.Sprintf("no checkpoint can be used: %v, and %v: restore a backup, or use --start-over, which discards them", err, also))
		}
	}
	for i, err := range failed {
		if err == nil {
			continue
		}
		h := &s.halves[i]
		s.log.Error("a checkpoint file cannot be used: it is renamed", zap.Error(err), zap.String("as", h.path+damagedSuffix))
		if err := h.renameDamaged(); err != nil {
			return err
		}
		if err := h.open(); err != nil {
			return err
		}
	}
	return nil
}

// pair initializes new files, and checks that both belong to the same pair.
func (s *Store) pair(failed *[2]error) error {
	a, b := &s.halves[0], &s.halves[1]
	if a.id != "" && b.id != "" && a.id != b.id {
		s.log.Warn("a checkpoint file belongs to another pair: it is renamed", zap.String("file", b.path), zap.String("of", a.path))
		if err := b.renameDamaged(); err != nil {
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
	if err := syncDir(filepath.Dir(a.path)); err != nil { // so that a new file's name survives a crash
		return fault(fmt.Sprintf("cannot use the folder of the checkpoints %s: %v", a.path, err))
	}
	return a.joined()
}

func (h *half) hasParts() bool {
	var t checkpoint.Tally
	err := h.guarded(func() error { return h.db.View(func(tx *bbolt.Tx) error { t = countParts(tx); return nil }) })
	return err != nil || t.Streams > 0
}

// joined marks the file as one of a pair.
func (h *half) joined() error {
	if !h.alone {
		return nil
	}
	h.alone = false
	return h.guarded(func() error {
		return h.db.Update(func(tx *bbolt.Tx) error { return tx.Bucket(fileBucket).Delete(aloneKey) })
	})
}

// Open implements checkpoint.Store. Load reads the part.
func (s *Store) Open(_ context.Context, name string) (checkpoint.Part, error) {
	return &part{store: s, name: []byte(name), unread: true}, nil
}

// Close closes and unlocks the files.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return errors.Join(s.halves[0].close(), s.halves[1].close())
}

// whileOpen uses the files. They are not replaced meanwhile.
func (s *Store) whileOpen(do func() error) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return errClosed
	}
	return do()
}

// fit compacts a file that is mostly free: bbolt does not shrink it.
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
			s.log.Warn("cannot compact the checkpoints: the file stays large", zap.String("file", h.path), zap.Error(err))
		}
	}
}

// isMended reports whether the part was written again since damage was found.
func (s *Store) isMended(part []byte) bool {
	s.saving.Lock()
	defer s.saving.Unlock()
	return s.mended[string(part)]
}

// replace renames a damaged file, and creates a new one.
func (s *Store) replace(h *half, why error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	s.log.Error("a checkpoint file is damaged: it is renamed, and written again", zap.Error(why), zap.String("as", h.path+damagedSuffix))
	id := h.id
	if err := h.renameDamaged(); err != nil {
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

// release releases the memory of the files' pages.
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
