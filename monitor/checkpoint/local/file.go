package local

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// lock opens and locks the file. The file may be a new one by then: its last
// owner may have compacted it.
func (h *half) lock() (*bbolt.DB, *os.File, error) {
	path := h.path
	for {
		db, file, err := h.openFile(path)
		switch {
		case errors.Is(err, berrors.ErrTimeout):
			return nil, nil, fault(fmt.Sprintf("another monitor uses the checkpoints in %s: stop it, or name another file", path))
		case err != nil:
			return nil, nil, err
		}
		ours, err := file.Stat()
		if err == nil {
			var there os.FileInfo
			if there, err = os.Stat(path); err == nil && os.SameFile(ours, there) {
				return db, file, nil
			}
		}
		db.Close()
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, nil, err
		}
	}
}

func (h *half) openFile(path string) (*bbolt.DB, *os.File, error) {
	return openFile(path, &bbolt.Options{Timeout: lockWait, FreelistType: bbolt.FreelistMapType, NoSync: h.noSync})
}

// openFile opens a file after its pages were checked.
func openFile(path string, o *bbolt.Options) (db *bbolt.DB, file *os.File, err error) {
	defer func() {
		if db == nil && file != nil { // bbolt may have panicked
			file.Close()
		}
	}()
	o.OpenFile = func(name string, flag int, mode os.FileMode) (*os.File, error) {
		if file, err = os.OpenFile(name, flag, mode); err != nil {
			return nil, err
		}
		if o.NoSync {
			return file, lookThrough(file, 1)
		}
		return file, lookThrough(file, looks)
	}
	db, err = bbolt.Open(path, 0o600, o)
	return db, file, err
}

// A file that another monitor is writing may look damaged, so it is checked
// several times.
const (
	looks = 3
	pause = 10 * time.Millisecond
)

// lookThrough checks the pages of a file that is not empty.
func lookThrough(file *os.File, looks int) error {
	for n := 1; ; n++ {
		info, err := file.Stat()
		if err != nil || info.Size() == 0 {
			return err
		}
		if _, err = checkPages(file, info.Size()); err == nil || n == looks {
			return err
		}
		time.Sleep(pause)
	}
}

func (h *half) isWasted(l limit) (bool, error) {
	info, err := os.Stat(h.path)
	if err != nil || info.Size() < l.size {
		return false, err
	}
	var end int64 // the end of its pages
	err = h.db.View(func(tx *bbolt.Tx) error { end = tx.Size(); return nil })
	used := end - int64(h.db.Stats().FreeAlloc)
	return float64(used) < (1-l.free)*float64(info.Size()), err
}

// compact replaces the file by a compacted copy. Both are locked until then.
func (h *half) compact() error {
	name := h.path + ".new"
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	db, file, err := h.openFile(name)
	if err != nil {
		return err
	}
	if err = bbolt.Compact(db, h.db, batch); err == nil {
		err = os.Rename(name, h.path)
	}
	if err != nil {
		db.Close()
		os.Remove(name)
		return err
	}
	old := h.db
	h.db, h.file = db, file
	return errors.Join(syncDir(filepath.Dir(h.path)), old.Close())
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
