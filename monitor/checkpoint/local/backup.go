package local

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"
)

// Backup writes a new file, which has the last checkpoint of each part that is
// whole. A monitor can begin with it.
func (r *Reader) Backup(dest string) (err error) {
	if _, err := os.Lstat(dest); err == nil {
		return fmt.Errorf("%s is there already: name a new file", dest)
	}
	h := &half{path: dest + ".new"}
	if err := os.Remove(h.path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := h.open(); err != nil {
		return err
	}
	defer func() {
		h.leave()
		if err != nil {
			os.Remove(h.path)
		}
	}()
	if err := h.make(newID(), true); err != nil {
		return err
	}
	for _, name := range r.Parts() {
		both := r.parts[name]
		at := newer(both)
		if at < 0 {
			return fmt.Errorf("%s: both its checkpoints are damaged", name)
		}
		if err := h.adopt([]byte(name), &both[at]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := h.close(); err != nil {
		return err
	}
	if err := os.Rename(h.path, dest); err != nil {
		return err
	}
	return syncDir(filepath.Dir(dest))
}

// adopt copies a part from another file, as its first checkpoint.
func (h *half) adopt(part []byte, from *held) error {
	return h.guarded(func() error {
		return h.db.Update(func(tx *bbolt.Tx) error {
			b, err := tx.Bucket(partsBucket).CreateBucket(part)
			if err != nil {
				return err
			}
			streams, err := b.CreateBucket(streamsBucket)
			if err != nil {
				return err
			}
			w := &writer{part: part, streams: streams}
			if from.bucket != nil {
				if err := w.copy(from.bucket, from.top.tally); err != nil {
					return err
				}
			}
			t := top{n: 1, tally: w.tally, head: from.top.head}
			if err := b.Put(headKey, t.seal(part)); err != nil {
				return err
			}
			about := tx.Bucket(fileBucket)
			all, err := readTally(about)
			if err != nil {
				return err
			}
			all.Add(string(part), topSum(b))
			return writeTally(about, all)
		})
	})
}
