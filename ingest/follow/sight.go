package follow

import (
	"sync"
	"time"

	"go.uber.org/zap"
)

// sight is what is known of the file beside its batches. Its offsets are in
// bytes as they are stored, from any origin.
type sight struct {
	mu    sync.Mutex
	heard time.Time // when it was last there to be read
	known bool      // end is
	end   int64
	taken int64 // up to where batches were dealt with
}

// Seen returns when the file was last there to be read, the zero time if it was
// not yet, and how many bytes are behind the batches that were dealt with; less
// than 0: not known. It may be called from any goroutine.
func (f *File) Seen() (heard time.Time, lag int64) {
	s := &f.sight
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.known {
		return s.heard, -1
	}
	return s.heard, max(0, s.end-s.taken)
}

// begin makes the place at which Follow begins the origin.
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

// count notes what was read of a compressed file.
func (r *reader) count() {
	if r.src != nil && r.src.packed != nil {
		r.done += r.src.stored.read - r.src.passed
		r.src.passed = r.src.stored.read
	}
}

// seen notes that the file is there.
func (r *reader) seen() {
	if r.absent.Over() {
		r.opts.Log.Info("the file is there again")
	}
	r.count()
	end := r.done + r.lag()
	s := &r.sight
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard, s.known, s.end = time.Now(), true, end
}

// missing notes that it is not.
func (r *reader) missing() {
	if now := time.Now(); r.absent.Due(now) {
		r.opts.Log.Warn("the file is not there; waiting for it", zap.Stringer("for", now.Sub(r.absent.Since()).Round(time.Second)))
	}
}

// look is for when nothing is read, since who takes the batches is busy.
func (r *reader) look() {
	if now, err := r.current(); now == nil || err != nil {
		return
	}
	if r.src != nil {
		info, err := r.src.file.Stat()
		if err != nil {
			return
		}
		if info.Size() > r.src.info.Size() { // check is to see what is less
			r.src.info = info
		}
	}
	r.seen()
}
