package follow

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"

	"go.uber.org/zap"
)

// sight is the progress through the file, besides the batches. Its offsets are
// in stored bytes, from any origin.
type sight struct {
	mu    sync.Mutex
	heard time.Time // when it last existed
	known bool      // end is known
	end   int64
	taken int64 // up to the last batch that take has returned from
	gone  bool  // it did not exist when it was last looked for
}

// Seen returns when the file last existed; the zero time: never. It also returns how many
// bytes take has not seen; less than 0: unknown. It may be called from any goroutine.
func (f *File) Seen() (heard time.Time, lag int64) {
	s := &f.sight
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.known {
		return s.heard, -1
	}
	return s.heard, max(0, s.end-s.taken)
}

// begin sets the origin to the place where Follow begins.
func (s *sight) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end, s.taken = s.end-s.taken, 0
}

func (s *sight) dealtWith(at int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken = at
}

// count counts the bytes read of a compressed file.
func (r *reader) count() {
	if r.src != nil && r.src.packed != nil {
		r.done += r.src.stored.read - r.src.passed
		r.src.passed = r.src.stored.read
	}
}

// seen notes that the file exists.
func (r *reader) seen() {
	if r.absent.Over() {
		r.opts.Log.Info("the file exists now")
	}
	r.count()
	end := r.done + r.lag()
	s := &r.sight
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard, s.known, s.end, s.gone = time.Now(), true, end, false
}

// Missing reports whether the file does not exist. It may be called from any goroutine.
func (f *File) Missing() bool {
	s := &f.sight
	s.mu.Lock()
	gone, never := s.gone, s.heard.IsZero()
	s.mu.Unlock()
	if never { // it may not have been looked for yet
		_, err := os.Stat(f.path)
		return errors.Is(err, fs.ErrNotExist)
	}
	return gone
}

// missing notes that it does not.
func (r *reader) missing() {
	r.sight.mu.Lock()
	r.sight.gone = true
	r.sight.mu.Unlock()
	if now := time.Now(); r.absent.Due(now) {
		r.opts.Log.Warn("the file does not exist; waiting for it", zap.Stringer("for", now.Sub(r.absent.Since()).Round(time.Second)))
	}
}

// look updates the sight while take is busy.
func (r *reader) look() {
	if now, err := r.current(); now == nil || err != nil {
		return
	}
	if r.src != nil {
		info, err := r.src.file.Stat()
		if err != nil {
			return
		}
		if info.Size() > r.src.info.Size() { // check handles a smaller size
			r.src.info = info
		}
	}
	r.seen()
}
