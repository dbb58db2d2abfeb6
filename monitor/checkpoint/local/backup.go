package local

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"tracecheck/monitor/checkpoint"
)

// ErrDamaged is in the error of Backup if both checkpoints of a part are damaged. It is also in
// the error if damage has left no part.
var ErrDamaged = errors.New("both its checkpoints are damaged")

// Backup writes a new file with the last intact checkpoint of each part. A
// monitor can start from it.
func (r *Reader) Backup(dest string) (err error) {
	if _, err := os.Lstat(dest); err == nil {
		return fmt.Errorf("%s already exists: name a new file", dest)
	}
	if damage := cmp.Or(r.Files[0].Err, r.Files[1].Err); damage != nil && len(r.parts) == 0 {
		return fmt.Errorf("no checkpoint can be read: %w", damage)
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
			return fmt.Errorf("%s: %w", name, ErrDamaged)
		}
		if err := h.adopt([]byte(name), &r.Files[at].half, &both[at]); err != nil {
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
func (h *half) adopt(name []byte, other *half, from *held) error {
	p := &part{name: name, store: &Store{share: defaultShare, halves: [2]half{*h}}}
	w := &writer{
		p: p, change: &checkpoint.Change{Head: from.top.head, Whole: true}, news: &spool{}, source: from.tx,
		last: &last{h: other, part: name, top: from.top, view: from.view},
	}
	return w.write()
}
