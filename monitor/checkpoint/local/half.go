package local

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"go.etcd.io/bbolt"

	"tracecheck/monitor/checkpoint"
)

// The buckets: one of the file's properties, and one with a bucket for each
// part.
var (
	fileBucket  = []byte("file")
	versionKey  = []byte("version")
	idKey       = []byte("id")    // the same in both files of a pair
	aloneKey    = []byte("alone") // the file is a backup: it has no pair
	tallyKey    = []byte("tally") // of the parts
	partsBucket = []byte("parts")
)

// half is one of the two files of a pair.
type half struct {
	path   string
	noSync bool // in tests
	db     *bbolt.DB
	file   *os.File // of db
	id     string   // of the pair; "": the file is new
	alone  bool
	stale  bool  // it may lack its last transaction
	damage error // damage outside the parts. Missing data may have been there; nil: none
}

// guarded uses the file. If that is damaged, bbolt returns errors, panics, or
// reads beyond the end. The error names the file.
func (h *half) guarded(do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = damaged{h.path, fmt.Errorf("%v", p)}
		}
	}()
	err = do()
	if err == nil {
		return nil
	}
	if namesFile(err) {
		return err
	}
	if what, ok := errors.AsType[otherContent](err); ok {
		return notOurs{h.path, string(what)}
	}
	errno, ok := errors.AsType[syscall.Errno](err)
	// A page beyond the end gives EFBIG, and so does a limit below the size of the file.
	if ok && (errno != syscall.EFBIG || lookThrough(h.file, 1) == nil) || noRoom(err) {
		return fault(fmt.Sprintf("cannot use the file of checkpoints %s: %s: check the disk and its limits, or name another file with --checkpoint", h.path, err))
	}
	return damaged{h.path, err}
}

// noRoom reports whether the file could not grow. bbolt has the cause only as text.
func noRoom(err error) bool {
	return strings.HasPrefix(err.Error(), "file resize error: ") || strings.HasPrefix(err.Error(), "file sync error: ")
}

// open opens or creates the file.
func (h *half) open() error {
	return h.guarded(func() (err error) {
		if h.db, h.file, err = h.lock(); err != nil {
			return err
		}
		return h.db.View(h.check)
	})
}

// check reads the file's properties.
func (h *half) check(tx *bbolt.Tx) error {
	about := tx.Bucket(fileBucket)
	if about == nil {
		if name, _ := tx.Cursor().First(); name != nil {
			return notOurs{h.path, "one of another program"}
		}
		return nil // a new file
	}
	if err := h.checkVersion(about.Get(versionKey)); err != nil {
		return err
	}
	id, err := checkpoint.Unseal(placeOf(nil, idKey), about.Get(idKey))
	if err != nil || len(id) == 0 || tx.Bucket(partsBucket) == nil {
		return damaged{h.path, errors.New("it has no version")}
	}
	h.id, h.alone = string(id), about.Get(aloneKey) != nil
	want, err := readTally(about)
	if got := countParts(tx); err != nil || got != want {
		h.damage = damaged{h.path, fmt.Errorf("it has %d parts, but %d were saved", got.Streams, want.Streams)}
	}
	info, err := h.file.Stat()
	if err != nil {
		return err
	}
	if note, err := checkPages(h.file, info.Size()); note != nil && err == nil {
		h.damage, h.stale = damaged{h.path, note}, true
	}
	return nil
}

// checkVersion reads the version. Version 1 has no checksum.
func (h *half) checkVersion(value []byte) error {
	got, err := checkpoint.Unseal(placeOf(nil, versionKey), value)
	switch {
	case err == nil && string(got) == version:
		return nil
	case err == nil:
		return wrongVersion{h.path, string(got)}
	case len(value) > 0 && len(value) < checkpoint.SealSize:
		return wrongVersion{h.path, string(value)}
	}
	return damaged{h.path, fmt.Errorf("its version: %w", err)}
}

func readTally(about *bbolt.Bucket) (t checkpoint.Tally, err error) {
	value, err := checkpoint.Unseal(placeOf(nil, tallyKey), about.Get(tallyKey))
	if err == nil {
		t, _, err = cutTally(value)
	}
	return t, err
}

func writeTally(about *bbolt.Bucket, t checkpoint.Tally) error {
	return about.Put(tallyKey, checkpoint.Seal(placeOf(nil, tallyKey), appendTally(room(20), t)))
}

// countParts returns the tally of the parts.
func countParts(tx *bbolt.Tx) (t checkpoint.Tally) {
	parts := tx.Bucket(partsBucket)
	for name := range bucketsOf(parts) {
		t.Add(string(name), topSum(parts.Bucket(name)))
	}
	return t
}

// bucketsOf yields the names of the buckets in one.
func bucketsOf(b *bbolt.Bucket) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		c := b.Cursor()
		for k, v := c.First(); k != nil; k, v = c.Next() {
			if v == nil && !yield(k) {
				return
			}
		}
	}
}

// topSum is the checksum of a part's head.
func topSum(b *bbolt.Bucket) uint64 {
	if v := getHead(b); len(v) >= checkpoint.SealSize {
		return checkpoint.SealOf(v)
	}
	return 0
}

// make initializes a new file.
func (h *half) make(id string, alone bool) error {
	return h.guarded(func() error {
		h.id = id
		return h.db.Update(func(tx *bbolt.Tx) error {
			about, err := tx.CreateBucket(fileBucket)
			if err != nil {
				return err
			}
			if _, err = tx.CreateBucket(partsBucket); err != nil {
				return err
			}
			if alone {
				if err := about.Put(aloneKey, []byte{1}); err != nil {
					return err
				}
			}
			for key, value := range map[string]string{string(versionKey): version, string(idKey): id} {
				if err := about.Put([]byte(key), checkpoint.Seal(placeOf(nil, []byte(key)), append(room(len(value)), value...))); err != nil {
					return err
				}
			}
			return writeTally(about, checkpoint.Tally{})
		})
	})
}

func newID() string { return rand.Text() }

// damagedSuffix is appended to the name of a damaged file.
const damagedSuffix = ".damaged"

// renameDamaged renames the file, and unlocks it.
func (h *half) renameDamaged() error {
	h.leave()
	h.id, h.alone, h.stale, h.damage = "", false, false, nil
	if err := os.Rename(h.path, h.path+damagedSuffix); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("cannot rename a damaged checkpoint file: %w", err)
	}
	return nil
}

// leave abandons a file that may be damaged. bbolt may have panicked and may
// deadlock, so its lock remains, on a renamed file.
func (h *half) leave() {
	db := h.db
	h.db, h.file = nil, nil
	if db == nil {
		return
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		h.guarded(db.Close)
	}()
	select {
	case <-closed:
	case <-time.After(lockWait):
	}
}

func (h *half) close() error {
	if h.db == nil {
		return nil
	}
	err := h.guarded(h.db.Close)
	h.db, h.file = nil, nil
	return err
}
