package follow

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
)

// maxLooks bounds how often the files are listed anew since one was renamed
// meanwhile.
const maxLooks = 100

var errMoving = errors.New("its files are renamed all the time")

// steady calls look until no file was renamed meanwhile.
func steady(look func() (*source, error)) (*source, error) {
	for range maxLooks {
		s, err := look()
		if !errors.Is(err, fs.ErrNotExist) && err != errMoving {
			return s, err
		}
	}
	return nil, errMoving
}

// locate opens the file that the place is in, at the place, and returns the
// bytes before it. nil: it is not to be found.
func (f *File) locate(p *place) (s *source, tail []byte, err error) {
	s, err = steady(func() (*source, error) {
		list, err := f.rotated()
		if err != nil {
			return nil, err
		}
		now, err := f.current()
		if err != nil {
			return nil, err
		}
		if now != nil {
			list = append(list, *now)
		}
		// Several may have the same content that far: a copy, or files that all
		// begin with the same line. The inode tells, and else the oldest is it.
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

// openAt opens a file at the place, if the place is in it; unread leaves out
// those that are read to their ends.
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

// next opens the file that follows the place, whose file is read to its end:
// the oldest rotated one that was written to since and is not read, else the
// one that grows. src is that file, if it is open; passed are others that were
// left. nil: there is none yet.
func (f *File) next(p *place, src *source, passed []fs.FileInfo) (*source, error) {
	return steady(func() (*source, error) {
		now, err := f.current()
		if err != nil {
			return nil, err
		}
		if p.Line > 0 {
			list, err := f.rotated()
			if err != nil {
				return nil, err
			}
			for _, e := range list {
				if s, err := e.follows(p, src, passed); s != nil || err != nil {
					return s, err
				}
			}
		}
		if now == nil || src != nil && os.SameFile(now.info, src.info) {
			return nil, nil
		}
		s, err := now.open() // errMoving: it is a rotated one now
		if err == nil && s.packed != nil {
			s.close()
			return nil, fmt.Errorf("it is compressed (%s): only what it is rotated to may be", s.how)
		}
		return s, err
	})
}

// before opens the oldest file that follows the place and comes before src, at
// whose start the place is: copies of src, made before it was truncated, of
// which nothing was seen. nil: there is none.
func (f *File) before(p *place, src *source, passed []fs.FileInfo) (*source, error) {
	return steady(func() (*source, error) {
		list, err := f.rotated()
		if err != nil {
			return nil, err
		}
		now, err := f.current()
		if err != nil {
			return nil, err
		}
		same := func(e entry) bool { return os.SameFile(e.info, src.info) }
		if i := slices.IndexFunc(list, same); i >= 0 {
			list = list[:i]
		} else if now == nil || !same(*now) {
			return nil, nil // it would not be found again
		}
		for _, e := range list {
			s, err := e.follows(p, src, passed)
			if err != nil {
				return nil, err
			}
			if s == nil {
				continue
			}
			copied, err := s.isStartOf(src)
			if !copied && err == nil {
				return s, nil
			}
			s.close() // src is being copied, and is not truncated yet
			if err != nil {
				return nil, err
			}
		}
		return nil, nil
	})
}

// follows opens the rotated file if it is one that follows the place.
func (e *entry) follows(p *place, src *source, passed []fs.FileInfo) (*source, error) {
	same := func(info fs.FileInfo) bool { return os.SameFile(e.info, info) }
	if e.info.ModTime().UnixNano() < p.Time || src != nil && same(src.info) || slices.ContainsFunc(passed, same) {
		return nil, nil
	}
	if done, err := e.isDone(p); done || err != nil {
		return nil, err
	}
	return e.open()
}
