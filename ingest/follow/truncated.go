package follow

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"go.uber.org/zap"

	"tracecheck/trace"
)

// check checks whether the file still has the content that was read. If not, it
// handles that, and ok is false.
func (r *reader) check(ctx context.Context) (ok bool, err error) {
	known := r.src.info.Size()
	same, behind, err := r.src.still(r.at.Offset, r.tail, r.batch.buf)
	if err != nil || behind {
		return behind, err
	}
	r.batch.buf, r.long, r.dropped = r.batch.buf[:0], false, 0
	if same {
		r.batch.Missed = r.miss("the end of the file was cut off or changed before it was read, from byte %d of %d on", r.at.Offset, known)
		return false, r.send(ctx, nil)
	}
	return false, r.truncated(ctx, known)
}

// truncated handles the truncation of the file, perhaps with writes since.
// Reading continues with the copy made before, or at the start. known is the
// known size before.
func (r *reader) truncated(ctx context.Context, known int64) error {
	r.at.Inode, r.at.Head, r.at.Tail = inodeOf(r.src.info), sumOf(r.src.first(r.at.Offset)), sumOf(r.tail)
	s, tail, err := r.locate(&r.at)
	if err != nil {
		return err
	}
	if s != nil {
		r.opts.Log.Info("the file was truncated; reading its copy to the end", zap.String("copy", s.path))
		short := known - s.info.Size()
		r.open(s)
		r.tail = tail
		if s.packed != nil || short <= 0 {
			return nil
		}
		r.batch.Missed = r.miss("the file was truncated, and its copy %s lacks %d bytes that were not read", s.path, short)
		return r.send(ctx, nil)
	}
	unread := known - r.at.Offset
	if unread > 0 {
		err := r.miss("the file was truncated before it was read: at least %d bytes are lost", unread)
		r.at.finish()
		return r.giveUp(ctx, err)
	}
	r.opts.Log.Warn("the file was truncated: lines written just before may be lost",
		zap.Int("lines", r.at.Line-1), zap.Duration("checked every", r.opts.pace.poll))
	r.at.finish()
	return r.giveUp(ctx, nil)
}

// lost is the error that the file of the position is not found. An inode number
// may be reused, so a truncated file and a replaced one look alike.
func (r *reader) lost() *trace.Error {
	return r.miss("neither %s nor a rotated file in %s has the content that was read up to this line: it was truncated, replaced or removed. Any lines that were written to it since then are lost",
		r.path, filepath.Dir(r.real()))
}

// damaged skips the rest of a compressed file that cannot be read further.
func (r *reader) damaged(ctx context.Context, why error) (time.Duration, error) {
	r.position()
	if time.Since(r.src.info.ModTime()) < r.opts.pace.old {
		r.open(nil) // it may still be written: continue from here later
		r.batch.buf, r.long, r.dropped, r.found = r.batch.buf[:0], false, 0, r.at.Offset == 0
		return r.opts.pace.poll, nil
	}
	err := r.miss("%s cannot be read any further: %v: its lines from this one on are lost", r.src.path, why)
	r.at.finish()
	r.batch.buf, r.long, r.dropped = r.batch.buf[:0], false, 0
	r.passed = append(r.passed, r.src.info)
	return 0, r.giveUp(ctx, err)
}

func (r *reader) miss(format string, args ...any) *trace.Error {
	err := &trace.Error{Pos: r.pos(), Reason: fmt.Sprintf(format, args...)}
	r.opts.Log.Warn("lines were lost before they were read", zap.Error(err))
	return err
}
