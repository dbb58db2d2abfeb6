package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"go.etcd.io/bbolt"
)

// Reader reads a pair of files beside the monitor that may be writing them: it
// has copies of its own. Each is the file as it was between two transactions.
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
	Err   error // what of it is damaged, beside what its parts say; nil: nothing

	half half
	tx   *bbolt.Tx
}

// Kept is what one file has of a part.
type Kept struct {
	There   bool
	Number  uint64 // how many checkpoints there were, with this one
	Head    []byte
	Streams int
	Bytes   int64 // of the streams
	Err     error // what of it is damaged; nil: nothing
}

// Read copies the files into the folder for what is temporary, and opens the
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
	switch {
	case !a.There && !b.There:
		r.Close()
		return nil, fmt.Errorf("there are no checkpoints in %s: no such file", path)
	case a.half.id != "" && b.half.id != "" && a.half.id != b.half.id:
		b.Err = damaged{b.Path, errors.New("it is of other checkpoints than " + a.Path)}
		b.leave()
	case !b.There && !a.half.alone && a.tx != nil && a.half.hasParts():
		b.Err = damaged{b.Path, errors.New("it is missing")}
	case !a.There:
		a.Err = damaged{a.Path, errors.New("it is missing")}
	}
	if err := r.collect(); err != nil {
		r.Close()
		return nil, err
	}
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

// open copies the file and opens the copy. What is damaged is in Err.
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
	case damaged, foreign:
		f.Err = err
		f.leave()
	default:
		return err
	}
	return nil
}

// How often a file is copied that is written meanwhile, and the pause between.
const (
	attempts = 100
	between  = 20 * time.Millisecond
)

// snapshot copies a file of bbolt as it is between two transactions. What belongs
// to one is not overwritten before the next one has ended: so the copy is whole if
// none has ended meanwhile, and each of them changes a first page.
func snapshot(ctx context.Context, from, to string) (size int64, err error) {
	for range attempts {
		size, same, err := copyOnce(from, to)
		if err != nil || same {
			return size, err
		}
		select {
		case <-time.After(between):
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	return 0, fmt.Errorf("%s is written again and again while it is copied: try again, or let the monitor write less often, with --checkpoint-every", from)
}

func copyOnce(from, to string) (size int64, same bool, err error) {
	in, err := os.Open(from)
	if err != nil {
		return 0, false, err
	}
	defer in.Close() // it is only read
	before := firstPages(in)
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, false, err
	}
	size, err = io.Copy(out, in)
	return size, before == firstPages(in), errors.Join(err, out.Close())
}

// firsts is what a file's first pages say.
type firsts struct {
	both  [2]meta
	whole [2]bool
}

func firstPages(file io.ReaderAt) (f firsts) {
	f.both, f.whole = metas(file)
	return f
}

// collect looks at all parts.
func (r *Reader) collect() error {
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
			both := r.parts[string(name)]
			if both == nil {
				both = &[2]held{}
				r.parts[string(name)] = both
			}
			both[i] = f.half.hold(f.tx, name)
			err := f.half.guarded(func() error {
				if changed := f.tx.Bucket(partsBucket).Bucket(name).Get(changedKey); changed != nil {
					_, err := openKeys(name, changed)
					return err
				}
				return nil
			})
			if err != nil { // no monitor needs it to go on
				f.Err = errors.Join(f.Err, err)
			}
		}
	}
	for _, both := range r.parts { // as a monitor would see it
		at := newer(both)
		for i := range both {
			if at >= 0 && i != at && !both[i].there && both[at].top.before && r.Files[i].Err == nil {
				both[i].err = damaged{r.Files[i].Path, errors.New("a part is missing")}
			}
		}
	}
	return nil
}

// Parts are the names of all parts, in order.
func (r *Reader) Parts() []string {
	names := make([]string, 0, len(r.parts))
	for name := range r.parts {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Part returns what the files have of a part, and which of them a monitor would go
// on from; less than 0: neither.
func (r *Reader) Part(name string) (both [2]Kept, at int) {
	all := r.parts[name]
	for i := range all {
		h := &all[i]
		both[i] = Kept{There: h.there, Number: h.top.n, Head: h.top.head, Streams: h.top.tally.Streams, Bytes: h.size, Err: h.err}
	}
	return both, newer(all)
}

// Each yields the streams of the part that a monitor would go on from.
func (r *Reader) Each(ctx context.Context, part string, stream func(name string, state []byte) error) error {
	both := r.parts[part]
	at := newer(both)
	if at < 0 {
		return nil
	}
	return both[at].each(ctx, &r.Files[at].half, []byte(part), stream)
}

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
