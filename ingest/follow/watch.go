package follow

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
	"go.uber.org/zap"
)

// watcher wakes who waits for a file, where the system can tell of changes.
type watcher struct {
	inner *fsnotify.Watcher // nil: nothing tells
	wake  chan struct{}
}

// watch tells of files whose names begin as the followed one's does.
func (f *File) watch() *watcher {
	w := &watcher{wake: make(chan struct{}, 1)}
	real := f.real()
	var err error
	if w.inner, err = fsnotify.NewWatcher(); err != nil {
		f.opts.Log.Info("the system does not tell of changes; the file is looked at at intervals", zap.Error(err))
		return w
	}
	ours := func(path string) bool {
		return strings.HasPrefix(filepath.Base(path), stem(f.path)) || strings.HasPrefix(filepath.Base(path), stem(real))
	}
	go func() {
		for events, errs := w.inner.Events, w.inner.Errors; ; {
			select {
			case e, open := <-events:
				if !open {
					return
				}
				if e.Op == fsnotify.Chmod || !ours(e.Name) {
					continue
				}
			case _, open := <-errs: // some were lost
				if !open {
					return
				}
			}
			select {
			case w.wake <- struct{}{}:
			default:
			}
		}
	}()
	return w
}

// stem is the file's name without its extension.
func stem(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

func (w *watcher) close() {
	if w.inner != nil {
		w.inner.Close() // nothing is kept that could be lost
	}
}

// wait waits for a change in the directories, or for as long as that.
func (w *watcher) wait(ctx context.Context, most time.Duration, dirs ...string) error {
	if w.inner != nil {
		for _, dir := range dirs {
			w.inner.Add(dir) // again, since it may be another one now; if it cannot be watched, the file is looked at at intervals
		}
	}
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-w.wake:
	case <-timer.C:
	case <-ctx.Done():
	}
	return ctx.Err()
}
