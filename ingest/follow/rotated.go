package follow

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// entry is a file that the followed one was rotated to, or that one itself.
type entry struct {
	path string
	info fs.FileInfo
}

// open opens the file, if it still is the one of the name.
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
var addition = regexp.MustCompile(`^[-._](\d[-._:TZ+\d]*|old|bak|prev)$`)

// packing are the extensions of compressed files that can be read.
var packing = []string{".gz", ".zst", ".zstd"}

// splitName cuts a compressed file's extension off.
func splitName(name string) (plain string, packed bool) {
	for _, ext := range packing {
		if p, ok := strings.CutSuffix(name, ext); ok {
			return p, true
		}
	}
	return name, false
}

// isRotated reports whether the name is one that rotation gives to a file of
// the name base; it is without the extension of compressed files.
func isRotated(name, base string) bool {
	if rest, ok := strings.CutPrefix(name, base); ok {
		return addition.MatchString(rest)
	}
	ext := filepath.Ext(base)
	rest, ok := strings.CutPrefix(name, strings.TrimSuffix(base, ext))
	if !ok || ext == "" {
		return false
	}
	rest, ok = strings.CutSuffix(rest, ext)
	return ok && addition.MatchString(rest)
}

// real is the path without symbolic links, as far as it can be known: rotated
// files lie beside the file itself.
func (f *File) real() string {
	if path, err := filepath.EvalSymlinks(f.path); err == nil {
		return path
	}
	return f.path
}

// current is the file that is there under the name now; nil: none is.
func (f *File) current() (*entry, error) {
	info, err := os.Stat(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return &entry{f.path, info}, err
}

// rotated lists the rotated files that there are, by when they were last
// written to. Every file has some name at any moment, but not every listing
// shows those that are renamed meanwhile, so it takes two that are the same.
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
	slices.SortFunc(list, func(a, b entry) int {
		return cmp.Or(a.info.ModTime().Compare(b.info.ModTime()), cmp.Compare(number(b.path), number(a.path)), cmp.Compare(a.path, b.path))
	})
	return list, nil
}

// number is that of name.1, -1 where there is none: the higher one is older.
func number(path string) int {
	plain, _ := splitName(path)
	n, err := strconv.Atoi(strings.TrimPrefix(filepath.Ext(plain), "."))
	if err != nil {
		return -1
	}
	return n
}
