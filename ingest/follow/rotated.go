package follow

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
)

// entry is the followed file, or one of its rotated files.
type entry struct {
	path string
	info fs.FileInfo
}

// open opens the file, if the name still belongs to it.
func (e *entry) open() (*source, error) {
	s, err := openSource(e.path)
	if err == nil && !os.SameFile(s.info, e.info) {
		s.close()
		return nil, errMoving
	}
	return s, err
}

// addition is what rotation adds to a name, at its end or before its extension:
// a number, a time, or one of a few words.
var addition = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[-._](\d[-._:TZ+\d]*|old|bak|prev)$`) })

// packing are the extensions of readable compressed files.
var packing = []string{".gz", ".zst", ".zstd"}

// splitName removes the extension of a compressed file.
func splitName(name string) (plain string, packed bool) {
	for _, ext := range packing {
		if p, ok := strings.CutSuffix(name, ext); ok {
			return p, true
		}
	}
	return name, false
}

// isRotated reports whether the name, without the extension of compressed
// files, is a rotated name of base.
func isRotated(name, base string) bool {
	if rest, ok := strings.CutPrefix(name, base); ok {
		return addition().MatchString(rest)
	}
	ext := filepath.Ext(base)
	rest, ok := strings.CutPrefix(name, strings.TrimSuffix(base, ext))
	if !ok || ext == "" {
		return false
	}
	rest, ok = strings.CutSuffix(rest, ext)
	return ok && addition().MatchString(rest)
}

// real is the path without symbolic links, as far as known. Rotated files are
// in its directory.
func (f *File) real() string {
	if path, err := filepath.EvalSymlinks(f.path); err == nil {
		return path
	}
	return f.path
}

// current is the file that now has the name; nil: none.
func (f *File) current() (*entry, error) {
	info, err := os.Stat(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return &entry{f.path, info}, err
}

// rotated lists the rotated files by modification time. A listing may miss
// files that are renamed meanwhile, so two equal listings are needed.
func (f *File) rotated() ([]entry, error) {
	var last []entry
	for look := range maxLooks {
		list, err := f.list()
		if err != nil {
			return nil, err
		}
		if look > 0 && slices.EqualFunc(list, last, func(a, b entry) bool { return a.path == b.path && os.SameFile(a.info, b.info) }) {
			return list, nil
		}
		last = list
	}
	return nil, errMoving
}

func (f *File) list() ([]entry, error) {
	dir, base := filepath.Split(f.real())
	names, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	now, err := f.current()
	if err != nil {
		return nil, err
	}
	there := map[string]bool{}
	for _, n := range names {
		there[n.Name()] = true
	}
	var list []entry
	for _, n := range names {
		plain, packed := splitName(n.Name())
		if !isRotated(plain, base) || packed && there[plain] { // it is being compressed
			continue
		}
		info, err := n.Info()
		if errors.Is(err, fs.ErrNotExist) { // the next listing will differ
			continue
		}
		if err != nil {
			return nil, err
		}
		if info.Mode().IsRegular() && info.Size() > 0 && (now == nil || !os.SameFile(info, now.info)) {
			list = append(list, entry{filepath.Join(dir, n.Name()), info})
		}
	}
	sort.Slice(list, func(i, j int) bool {
		a, b := &list[i], &list[j]
		return cmp.Or(a.info.ModTime().Compare(b.info.ModTime()), cmp.Compare(number(b.path), number(a.path)), cmp.Compare(a.path, b.path)) < 0
	})
	return list, nil
}

// number returns N of name.N, or -1. Higher numbers are older.
func number(path string) int {
	plain, _ := splitName(path)
	n, err := strconv.Atoi(strings.TrimPrefix(filepath.Ext(plain), "."))
	if err != nil {
		return -1
	}
	return n
}
