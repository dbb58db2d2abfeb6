package follow

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
	"go.uber.org/zap"
)

// watcher wakes those who wait for a file, if the system reports changes.
type watcher struct {
	inner *fsnotify.Watcher // nil: no notifications
	wake  chan struct{}
}

// watch watches the files with names that begin like the followed one.
func (f *File) watch() *watcher {
	w := &watcher{wake: make(chan struct{}, 1)}
	real := f.real()
	var err error
	if w.inner, err = fsnotify.NewWatcher(); err != nil {
		f.opts.Log.Info("the system does not report changes of files: polling instead", zap.Error(err))
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
			case _, open := <-errs: // some notifications were lost
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
		w.inner.Close() // nothing can be lost
	}
}

// wait waits for a change in the directories, or for the given time.
func (w *watcher) wait(ctx context.Context, most time.Duration, dirs ...string) error {
	if w.inner != nil {
		for _, dir := range dirs {
			w.inner.Add(dir) // again: it may be another directory now. Without a watch, the file is polled
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
