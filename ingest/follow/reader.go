package follow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"go.uber.org/zap"

	"tracecheck/internal/remind"
	"tracecheck/trace"
)

// reader reads ahead of take.
type reader struct {
	*File
	out  chan *Batch // in order
	free chan *Batch // free batches

	src   *source // nil: none is open
	at    place   // of the first line that is not yet in a batch; position completes it
	tail  []byte  // the bytes before it, up to sumSize
	batch *Batch  // its buf has what was read from there on

	long    bool  // in a line that is too long: the buf has its start
	dropped int64 // further bytes of it that were read

	found   bool      // the file of the first place was found, or given up
	sought  time.Time // since when it is searched
	earlier bool      // src was rotated before it was opened
	away    time.Time // since when src is not the growing file; zero: it is
	grown   time.Time // when src last had something to read

	passed []fs.FileInfo // files that were given up, last written to at at.Time

	behind   int64 // bytes in later files
	measured time.Time

	done   int64           // the place in a sight's bytes
	absent remind.Reminder // of the growing file
}

func (f *File) reader(at place) *reader {
	r := &reader{File: f, at: at, out: make(chan *Batch, 1), free: make(chan *Batch, inFlight)}
	var shapes trace.Shapes
	for range inFlight {
		b := &Batch{decoder: trace.Decoder{Shapes: &shapes}}
		if f.opts.Lines != nil {
			b.Lines = f.opts.Lines()
		}
		r.free <- b
	}
	r.batch = <-r.free
	r.found = at.Offset == 0 // it is the start of the next file
	return r
}

// run reads until ctx ends.
func (r *reader) run(ctx context.Context) error {
	w := r.watch()
	defer w.close()
	defer func() { r.open(nil) }()
	for {
		wait, err := r.step(ctx)
		if errors.Is(err, errMoving) {
			wait, err = r.opts.pace.poll, nil
		}
		if err == nil && wait > 0 {
			err = w.wait(ctx, wait, filepath.Dir(r.path), filepath.Dir(r.real()))
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("cannot read from %s on: %w", r.pos(), err)
		}
	}
}

func (r *reader) pos() trace.Pos { return trace.Pos{File: r.name, Line: max(1, r.at.Line)} }

// step does one read. It returns how long to wait before the next one.
func (r *reader) step(ctx context.Context) (wait time.Duration, err error) {
	if r.src == nil {
		return r.first(ctx)
	}
	n, err := r.src.read(r.room(), r.reads())
	switch {
	case errors.Is(err, errDamaged):
		return r.damaged(ctx, err)
	case err != nil && err != io.EOF:
		return 0, err
	}
	if r.src.packed == nil {
		if ok, err := r.check(ctx); !ok {
			return 0, err // what follows is not adjacent
		}
	}
	if r.at.Offset == 0 && len(r.batch.buf) == 0 && r.src.packed == nil {
		if s, err := r.before(&r.at, r.src, r.passed); s != nil || err != nil {
			if err == nil {
				err = r.enter(ctx, s)
			}
			return 0, err
		}
	}
	if n > 0 {
		r.grown = time.Now()
		r.seen()
		r.batch.buf = r.batch.buf[:len(r.batch.buf)+n]
		return 0, r.cut(ctx)
	}
	if err == nil {
		return 0, nil
	}
	return r.end(ctx)
}

// reads is the offset of the next read.
func (r *reader) reads() int64 { return r.at.Offset + r.dropped + int64(len(r.batch.buf)) }

// first opens the file of the place, or the one after it.
func (r *reader) first(ctx context.Context) (time.Duration, error) {
	if !r.found {
		s, tail, err := r.locate(&r.at)
		if err != nil {
			return 0, err
		}
		if s != nil {
			r.found = true
			r.open(s)
			r.tail = tail
			return 0, nil
		}
		now, err := r.current()
		if now == nil || err != nil {
			if err == nil {
				r.missing()
			}
			r.sought = time.Time{} // its disk may not be mounted yet
			return r.opts.pace.poll, err
		}
		if r.sought.IsZero() {
			r.sought = time.Now()
		}
		if left := r.opts.pace.grace - time.Since(r.sought); left > 0 { // files may just be renamed
			return min(left, r.opts.pace.poll), nil
		}
		r.found = true
		missed := r.lost()
		r.at.finish()
		return 0, r.giveUp(ctx, missed)
	}
	s, err := r.next(&r.at, nil, r.passed)
	if s == nil || err != nil {
		if err == nil {
			r.missing()
		}
		return r.opts.pace.poll, err
	}
	if r.at.Line == 0 { // older files are not wanted
		r.at.Time = s.info.ModTime().UnixNano()
	}
	return 0, r.enter(ctx, s)
}

// open makes s the current file.
func (r *reader) open(s *source) {
	if r.src != nil {
		r.count()
		r.src.close()
	}
	if r.src = s; s != nil {
		s.passed = s.stored.read
	}
	r.away, r.grown, r.measured = time.Time{}, time.Time{}, time.Time{}
	r.earlier = s != nil && s.path != r.path
}

// enter begins a file. It sends its position, since the previous file may be
// deleted before this one has a line.
func (r *reader) enter(ctx context.Context, s *source) error {
	r.open(s)
	r.at = place{Line: 1, Time: r.at.Time, Done: r.at.Done}
	if r.earlier { // the oldest of those left
		r.opts.Log.Info("reading a rotated file", zap.String("path", s.path))
		if t := s.info.ModTime().UnixNano(); t > r.at.Time {
			r.at.Time, r.passed = t, nil
		}
	}
	r.tail = r.tail[:0]
	return r.send(ctx, nil)
}

// giveUp gives up the file of the place for the next one.
func (r *reader) giveUp(ctx context.Context, missed *trace.Error) error {
	r.batch.Missed = missed
	return r.enter(ctx, nil)
}

// end handles the current end of the file.
func (r *reader) end(ctx context.Context) (time.Duration, error) {
	if r.src.packed == nil {
		pace := r.opts.pace
		now, err := r.current()
		if err != nil {
			return 0, err
		}
		if now != nil && os.SameFile(now.info, r.src.info) {
			r.away = time.Time{}
			r.seen()
			return pace.poll, nil
		}
		if r.away.IsZero() {
			r.away = time.Now()
		}
		quiet := min(time.Since(r.away), time.Since(r.grown))
		if quiet < pace.grace && !(r.earlier && time.Since(r.src.info.ModTime()) > pace.old) {
			return min(pace.poll, pace.grace-quiet), nil // its writer may not have noticed the rotation
		}
	}
	return r.leave(ctx)
}

// leave proceeds to the next file, if there is one.
func (r *reader) leave(ctx context.Context) (time.Duration, error) {
	r.position()
	done := r.at
	done.finish()
	s, err := r.next(&done, r.src, r.passed)
	if s == nil || err != nil {
		if err == nil {
			r.missing()
		}
		return r.opts.pace.poll, err
	}
	if r.src.packed == nil { // lines may have come since it was read, before s was there
		info, err := r.src.file.Stat()
		if err != nil || info.Size() > r.reads() {
			s.close()
			return 0, err
		}
	}
	if r.long {
		r.refuseLong(len(r.batch.buf))
	} else {
		r.decode(r.batch, r.batch.buf) // a last line without a line end
	}
	r.at.Done = done.Done
	r.passed = append(r.passed, r.src.info)
	return 0, r.enter(ctx, s)
}
