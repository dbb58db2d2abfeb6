// Package local keeps checkpoints in a file, for one monitor at a time.
package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
	"go.uber.org/zap"

	"tracecheck/monitor/checkpoint"
)

// version is that of what is in the file.
const version = "1"

const (
	// lockWait is how long another process may hold the file.
	lockWait = time.Second
	// batch is how much is copied at once when a file is compacted, in bytes.
	batch = 8 << 20
)

// limit says when a file is compacted.
type limit struct {
	size int64   // a file that is smaller is no burden, in bytes
	free float64 // the part of it that is free
}

var defaultLimit = limit{size: 64 << 20, free: 0.75}

// The buckets: that of the file's own facts, and that of the parts, which has
// one for each.
var (
	fileBucket  = []byte("file")
	versionKey  = []byte("version")
	partsBucket = []byte("parts")
)

// Store is a file of checkpoints.
type Store struct {
	path  string
	log   *zap.Logger
	limit limit

	mu sync.RWMutex // of db; who compacts has it alone
	db *bbolt.DB
}

// Open opens the file, and makes it where there is none. It is the caller's
// alone until Close.
func Open(path string, log *zap.Logger) (*Store, error) { return open(path, log, defaultLimit) }

func open(path string, log *zap.Logger, compact limit) (*Store, error) {
	s := &Store{path: path, log: log, limit: compact}
	err := s.guarded(func() (err error) {
		if s.db, err = s.lock(); err != nil {
			return err
		}
		return s.check()
	})
	if err != nil {
		s.Close()
		return nil, err
	}
	s.fit()
	return s, nil
}

// lock opens the file, which may be another one when the lock is ours: its
// last owner may have compacted it.
func (s *Store) lock() (*bbolt.DB, error) {
	for {
		db, file, err := openFile(s.path)
		switch {
		case errors.Is(err, berrors.ErrTimeout):
			return nil, fault(fmt.Sprintf("another monitor uses the checkpoints in %s: stop it, or name another file", s.path))
		case err != nil:
			return nil, err
		}
		ours, err := file.Stat()
		if err == nil {
			var there os.FileInfo
			if there, err = os.Stat(s.path); err == nil && os.SameFile(ours, there) {
				return db, nil
			}
		}
		db.Close()
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
}

func openFile(path string) (db *bbolt.DB, file *os.File, err error) {
	defer func() {
		if db == nil && err == nil { // it panics
			file.Close()
		}
	}()
	db, err = bbolt.Open(path, 0o600, &bbolt.Options{
		Timeout: lockWait, FreelistType: bbolt.FreelistMapType,
		OpenFile: func(name string, flag int, mode os.FileMode) (_ *os.File, err error) {
			file, err = os.OpenFile(name, flag, mode)
			return file, err
		},
	})
	return db, file, err
}

// check looks at the version, or sets it in a new file.
func (s *Store) check() error {
	return s.db.Update(func(tx *bbolt.Tx) error {
		about := tx.Bucket(fileBucket)
		if about == nil {
			if name, _ := tx.Cursor().First(); name != nil {
				return fault(s.path + " is no file of checkpoints, but of another program: name another")
			}
			var err error
			if about, err = tx.CreateBucket(fileBucket); err != nil {
				return err
			}
			if _, err = tx.CreateBucket(partsBucket); err != nil {
				return err
			}
			return about.Put(versionKey, []byte(version))
		}
		if got := string(about.Get(versionKey)); got != version {
			return fault(fmt.Sprintf("the checkpoints in %s have version %q, and this tracecheck reads version %q: use the one that wrote them, or move the file away to begin anew", s.path, got, version))
		}
		if tx.Bucket(partsBucket) == nil {
			return errors.New("it has no parts")
		}
		return nil
	})
}

// Open does not look for the part: Load does.
func (s *Store) Open(_ context.Context, name string) (checkpoint.Part, error) {
	return &part{store: s, name: []byte(name), unread: true}, nil
}

// Close gives the file up.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.db == nil {
		return nil
	}
	err := s.db.Close()
	s.db = nil
	return err
}

// fit compacts the file where most of it is free: it does not shrink by itself.
func (s *Store) fit() {
	err := s.guarded(func() error {
		if wasted, err := s.wasted(); err != nil || !wasted {
			return err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.db == nil {
			return nil
		}
		return s.compact()
	})
	if err != nil {
		s.log.Warn("cannot compact the checkpoints; going on with the larger file", zap.String("file", s.path), zap.Error(err))
	}
}

func (s *Store) wasted() (bool, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.db == nil {
		return false, nil
	}
	info, err := os.Stat(s.path)
	if err != nil {
		return false, err
	}
	if info.Size() < s.limit.size {
		return false, nil
	}
	var end int64 // of its pages
	err = s.db.View(func(tx *bbolt.Tx) error { end = tx.Size(); return nil })
	used := end - int64(s.db.Stats().FreeAlloc)
	return float64(used) < (1-s.limit.free)*float64(info.Size()), err
}

// compact puts a copy in the file's place. Both are locked until it is there.
func (s *Store) compact() error {
	name := s.path + ".new"
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	db, _, err := openFile(name)
	if err != nil {
		return err
	}
	if err = bbolt.Compact(db, s.db, batch); err == nil {
		err = os.Rename(name, s.path)
	}
	if err != nil {
		db.Close()
		os.Remove(name)
		return err
	}
	s.db, db = db, s.db
	if err := syncDir(filepath.Dir(s.path)); err != nil {
		s.log.Warn("cannot sync the checkpoints' folder", zap.Error(err))
	}
	return db.Close()
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// guarded does something with the file, and says of its error what to do. Where
// a file is damaged, bbolt returns errors, panics, or reads beyond the end.
func (s *Store) guarded(do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = s.damaged(fmt.Errorf("%v", p))
		}
	}()
	err = do()
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[fault](err); ok {
		return f
	}
	if errno, ok := errors.AsType[syscall.Errno](err); ok && errno != syscall.EFBIG { // which a page far out gives
		return fmt.Errorf("cannot use the file of checkpoints %s: %w: check the disk and its limits, or name another file with --checkpoint", s.path, err)
	}
	return s.damaged(err)
}

// fault is an error that says all there is to say.
type fault string

func (f fault) Error() string { return string(f) }

func (s *Store) damaged(err error) error {
	return fault(fmt.Sprintf("the file of checkpoints %s is damaged (%s): restore it, or move it away to begin anew, which forgets what was judged", s.path, err))
}
