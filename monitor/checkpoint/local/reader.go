package local

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"go.etcd.io/bbolt"
)

// Reader reads a pair of files while a monitor may write them. It works on
// copies, each as of the end of a transaction.
type Reader struct {
	Files [2]File

	dir   string // of the copies
	parts map[string]*[2]held
}

// File is one of a pair.
type File struct {
	Path  string
	There bool
	Size  int64 // in bytes
	Err   error // damage of the file, besides that of its parts; nil: none

	half half
	tx   *bbolt.Tx
}

// Kept is what one file has of a part.
type Kept struct {
	There   bool
	Number  uint64 // number of checkpoints so far, with this one
	Head    []byte
	Streams int
	Bytes   int64 // of the streams
	Err     error // its damage; nil: none
}

// Read copies the files to the folder for temporary files, and opens the
// copies. The caller closes the Reader.
func Read(ctx context.Context, path string) (*Reader, error) {
	dir, err := os.MkdirTemp("", "tracecheck-checkpoint-")
	if err != nil {
		return nil, err
	}
	r := &Reader{dir: dir}
	for i, name := range []string{path, path + OtherSuffix} {
		f := &r.Files[i]
		f.Path = name
		if err := f.open(ctx, filepath.Join(dir, fmt.Sprint(i))); err != nil {
			r.Close()
			return nil, err
		}
	}
	a, b := &r.Files[0], &r.Files[1]
	if other, ok := a.Err.(notOurs); ok && b.half.id == "" {
		r.Close()
		return nil, other
	}
	switch {
	case !a.There && !b.There:
		r.Close()
		return nil, fmt.Errorf("there are no checkpoints in %s: no such file, or an empty one; name the file that the monitor has as --checkpoint", path)
	case a.half.id != "" && b.half.id != "" && a.half.id != b.half.id:
		b.Err = damaged{b.Path, errors.New("it does not belong to " + a.Path)}
		b.leave()
	case !b.There && !a.half.alone && a.tx != nil && a.half.hasParts():
		b.Err = damaged{b.Path, errors.New("it is missing")}
	case !a.There:
		a.Err = damaged{a.Path, errors.New("it is missing")}
	}
	r.collect()
	return r, nil
}

// Close deletes the copies.
func (r *Reader) Close() error {
	for i := range r.Files {
		r.Files[i].leave()
	}
	return os.RemoveAll(r.dir)
}

func (f *File) leave() {
	if f.tx != nil {
		f.half.guarded(f.tx.Rollback)
	}
	f.tx = nil
	f.half.leave()
}

// open copies the file and opens the copy. Err is set if it is damaged.
func (f *File) open(ctx context.Context, to string) error {
	size, err := snapshot(ctx, f.Path, to)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	f.There, f.Size = size > 0, size
	if !f.There {
		return nil
	}
	h := &f.half
	h.path = f.Path
	err = h.guarded(func() (err error) {
		if h.db, h.file, err = openFile(to, &bbolt.Options{ReadOnly: true, Timeout: lockWait, NoSync: true}); err != nil {
			return err
		}
		if err = h.db.View(h.check); err != nil {
			return err
		}
		f.tx, err = h.db.Begin(false)
		return err
	})
	switch err.(type) {
	case nil:
		f.Err = h.damage
	case damaged, notOurs:
		f.Err = err
		f.leave()
	default:
		return err
	}
	return nil
}

// collect reads all parts.
func (r *Reader) collect() {
	r.parts = map[string]*[2]held{}
	for i := range r.Files {
		f := &r.Files[i]
		if f.tx == nil {
			continue
		}
		var names [][]byte
		err := f.half.guarded(func() error {
			for name := range bucketsOf(f.tx.Bucket(partsBucket)) {
				names = append(names, slices.Clone(name))
			}
			return nil
		})
		if err != nil {
			f.Err = errors.Join(f.Err, err)
			continue
		}
		for _, name := range names {
			got := f.half.hold(f.tx, name)
			if !got.there {
				continue // its first checkpoint is being written
			}
			both := r.parts[string(name)]
			if both == nil {
				both = &[2]held{}
				r.parts[string(name)] = both
			}
			both[i] = got
			err := f.half.guarded(func() error { return checkChanged(f.tx, name) })
			if err != nil { // a monitor does not need it to resume
				f.Err = errors.Join(f.Err, err)
			}
		}
	}
	for _, both := range r.parts { // as a monitor would judge it
		at := newer(both)
		for i := range both {
			if at >= 0 && i != at && !both[i].there && both[at].top.before && r.Files[i].Err == nil {
				both[i].err = damaged{r.Files[i].Path, errors.New("a part is missing")}
			}
		}
	}
}

// checkChanged checks the keys that a checkpoint has changed.
func checkChanged(tx *bbolt.Tx, part []byte) error {
	changed := tx.Bucket(partsBucket).Bucket(part).Bucket(changedBucket)
	if changed == nil {
		return nil
	}
	return changed.ForEach(func(number, share []byte) error {
		_, _, err := openKeys(part, number, share)
		return err
	})
}

// Parts returns the sorted names of all parts.
func (r *Reader) Parts() []string {
	return slices.Sorted(maps.Keys(r.parts))
}

// Part returns what the files have of a part. It also returns the index of the one that a
// monitor would resume from; less than 0: neither.
func (r *Reader) Part(name string) (both [2]Kept, at int) {
	all := r.parts[name]
	for i := range all {
		h := &all[i]
		both[i] = Kept{There: h.there, Number: h.top.n, Head: h.top.head, Streams: h.top.tally.Streams, Bytes: h.size, Err: h.err}
	}
	return both, newer(all)
}

// Each yields the streams of the checkpoint that a monitor would resume from.
func (r *Reader) Each(ctx context.Context, part string, stream func(name string, state []byte) error) error {
	both := r.parts[part]
	at := newer(both)
	if at < 0 {
		return nil
	}
	return both[at].each(ctx, &r.Files[at].half, []byte(part), stream)
}
