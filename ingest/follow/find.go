package follow

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
)

// maxLooks bounds how often the files are listed again because one was renamed
// meanwhile.
const maxLooks = 100

var errMoving = errors.New("its files are renamed all the time")

// steady repeats look until no file is renamed meanwhile.
func steady(look func() (*source, error)) (*source, error) {
	for range maxLooks {
		s, err := look()
		if !errors.Is(err, fs.ErrNotExist) && err != errMoving {
			return s, err
		}
	}
	return nil, errMoving
}

// locate opens the file of the place, at the place, and returns the bytes
// before it. nil: it is not found.
func (f *File) locate(p *place) (s *source, tail []byte, err error) {
	s, err = steady(func() (*source, error) {
		now, err := f.current() // first: it may be a rotated one by then
		if err != nil {
			return nil, err
		}
		list, err := f.rotated()
		if err != nil {
			return nil, err
		}
		if now != nil {
			list = append(list, *now)
		}
		// Several files may have the same content up to the place, such as
		// copies. The inode decides, and otherwise the oldest.
		same := func(e entry) bool { return p.Inode != 0 && inodeOf(e.info) == p.Inode }
		if i := slices.IndexFunc(list, same); i >= 0 {
			if s, tail, err = list[i].openAt(p, false); s != nil || err != nil {
				return s, err
			}
		}
		for i := range list {
			if p.Head.bytes == 0 || same(list[i]) {
				continue
			}
			if s, tail, err = list[i].openAt(p, true); s != nil || err != nil {
				return s, err
			}
		}
		return nil, nil
	})
	return s, tail, err
}

// openAt opens a file at the place, if the place is in it. unread skips files
// that were read to their ends.
func (e *entry) openAt(p *place, unread bool) (*source, []byte, error) {
	if unread {
		if done, err := e.isDone(p); done || err != nil {
			return nil, nil, err
		}
	}
	s, err := e.open()
	if err != nil {
		return nil, nil, err
	}
	tail, ok, err := s.seek(p.Offset, p.Head, p.Tail)
	if ok {
		return s, tail, nil
	}
	s.close()
	return nil, nil, err
}

// isDone reports whether the file was read to its end.
func (e *entry) isDone(p *place) (bool, error) {
	for _, m := range p.Done {
		s, err := e.open()
		if err != nil {
			return false, err
		}
		_, ok, err := s.seek(m.End, m.Head, m.Tail)
		s.close()
		if ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

// next opens the file after the place, whose file is read to its end. That is
// the oldest unread rotated file that was written since, else the growing one.
// src is the current file, if open. passed are files that were given up. nil:
// there is none yet.
func (f *File) next(p *place, src *source, passed []fs.FileInfo) (*source, error) {
	return steady(func() (*source, error) {
		now, err := f.current()
		if err != nil {
			return nil, err
		}
		var grows *source
		if now != nil && (src == nil || !os.SameFile(now.info, src.info)) {
			if grows, err = now.open(); err != nil { // errMoving: it was rotated
				return nil, err
			}
			if grows.packed != nil {
				grows.close()
				return nil, fmt.Errorf("it is compressed (%s): only rotated files may be compressed; to judge this file, run `tracecheck validate`", grows.how)
			}
		}
		if p.Line > 0 {
			s, err := f.oldest(p, src, grows, passed)
			if s != nil || err != nil {
				if grows != nil {
					grows.close()
				}
				return s, err
			}
		}
		return grows, nil
	})
}

// before opens the oldest file after the place that precedes src. The place is
// at the start of src. Such files are unseen copies of src, made before src was
// truncated. nil: there is none.
func (f *File) before(p *place, src *source, passed []fs.FileInfo) (*source, error) {
	return steady(func() (*source, error) {
		now, err := f.current() // first: it may be a rotated one by then
		if err != nil {
			return nil, err
		}
		list, err := f.rotated()
		if err != nil {
			return nil, err
		}
		same := func(e entry) bool { return os.SameFile(e.info, src.info) }
		if i := slices.IndexFunc(list, same); i >= 0 {
			list = list[:i]
		} else if now == nil || !same(*now) {
			return nil, nil // it would not be found again
		}
		return p.oldest(list, src, src, passed)
	})
}

func (f *File) oldest(p *place, src, grows *source, passed []fs.FileInfo) (*source, error) {
	list, err := f.rotated()
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(list, func(e entry) bool { return grows != nil && os.SameFile(e.info, grows.info) }) {
		return nil, errMoving // it was rotated
	}
	return p.oldest(list, src, grows, passed)
}

// oldest opens the first rotated file after the place. It skips a copy of the
// growing file: the copy may be incomplete until that is truncated. nil: there
// is none.
func (p *place) oldest(list []entry, src, grows *source, passed []fs.FileInfo) (*source, error) {
	for i := range list {
		s, err := list[i].follows(p, src, passed)
		if err != nil {
			return nil, err
		}
		if s == nil {
			continue
		}
		copied := false
		if grows != nil {
			copied, err = s.isStartOf(grows)
		}
		if !copied && err == nil {
			return s, nil
		}
		s.close()
		if err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// follows opens the rotated file if it is after the place.
func (e *entry) follows(p *place, src *source, passed []fs.FileInfo) (*source, error) {
	left := func(info fs.FileInfo) bool { // an inode may be reused
		return os.SameFile(e.info, info) && e.info.ModTime().Equal(info.ModTime())
	}
	if e.info.ModTime().UnixNano() < p.Time || src != nil && os.SameFile(e.info, src.info) || slices.ContainsFunc(passed, left) {
		return nil, nil
	}
	if done, err := e.isDone(p); done || err != nil {
		return nil, err
	}
	return e.open()
}
