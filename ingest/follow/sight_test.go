package follow

import (
	"context"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// sighted is a file that is followed by who takes no batch beyond the first.
func sighted(t *testing.T, f *File, from string, most int) (next <-chan string, end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	over, taken, said := make(chan error, 1), 0, make(chan string, 1000)
	go func() {
		over <- f.Follow(ctx, from, func(b *Batch) error {
			if taken++; taken > most {
				<-ctx.Done()
				return ctx.Err()
			}
			said <- b.Next
			return nil
		})
	}()
	return said, func() { cancel(); <-over }
}

// sees waits for the file to have a lag.
func sees(t *testing.T, f *File, what string, want int64) {
	t.Helper()
	var lag int64
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if _, lag = f.Seen(); lag == want {
			return
		}
	}
	t.Fatalf("%s: the lag is %d, want %d", what, lag, want)
}

// The lag is what is behind the batches that were dealt with, while nobody takes
// more, too; after a restart it is known, though nothing comes.
func TestSeenLag(t *testing.T) {
	d := newDisk(t)
	open := func() *File {
		f, err := Open(d.path(logName), Options{pace: quick})
		d.must(err)
		return f
	}
	line := int64(len(node("1")))
	d.add(logName, node("1"))
	f := open()
	if at, lag := f.Seen(); !at.IsZero() || lag >= 0 {
		t.Errorf("before it is read it was seen at %v, with a lag of %d", at, lag)
	}
	// The first two batches are the file's beginning and its line.
	next, end := sighted(t, f, "", 2)
	<-next
	at := <-next
	sees(t, f, "all is taken", 0)
	for n := range 50 {
		d.add(logName, node("1"))
		sees(t, f, "more, that nobody takes", int64(n+1)*line)
	}
	d.rename(logName, logName+".1")
	d.pack(logName+".1", ".gz")
	d.add(logName, node("2"))
	end()
	f = open()
	next, end = sighted(t, f, at, 1000)
	sees(t, f, "all is read", 0)
	for len(next) > 0 {
		at = <-next
	}
	end()
	f = open()
	_, end = sighted(t, f, at, 0)
	sees(t, f, "a restart at the end", 0)
	d.add(logName, node("3")+node("4"))
	sees(t, f, "two more", 2*line)
	end()
}

// A file that is deleted, or not there yet, is not seen until it is there, and
// that is logged.
func TestSeenOnlyWhileItIsThere(t *testing.T) {
	d := newDisk(t)
	core, logged := observer.New(zap.InfoLevel)
	f, err := Open(d.path(logName), Options{pace: quick, Log: zap.New(core)})
	d.must(err)
	_, end := sighted(t, f, "", 1000)
	defer end()
	soon := func(what string, holds func() bool) {
		t.Helper()
		for limit := time.Now().Add(patience); !holds(); time.Sleep(time.Millisecond) {
			if time.Now().After(limit) {
				t.Fatalf("it does not come: %s; the log is %v", what, logged.All())
			}
		}
	}
	said := func(text string) func() bool {
		return func() bool { return logged.FilterMessageSnippet(text).Len() > 0 }
	}
	soon("it is said to be missing", said("not there; waiting"))
	if at, _ := f.Seen(); !at.IsZero() {
		t.Errorf("a file that is not there was seen at %v", at)
	}
	d.add(logName, node("1"))
	soon("it is seen", func() bool { at, lag := f.Seen(); return !at.IsZero() && lag == 0 })
	soon("that is said", said("is there again"))
	before, _ := f.Seen()
	soon("it is seen again, with nothing new", func() bool { at, _ := f.Seen(); return at.After(before) })
	logged.TakeAll()
	d.remove(logName)
	soon("it is said to be missing again", said("not there; waiting"))
	before, _ = f.Seen()
	soon("it is not seen for many looks", func() bool { at, _ := f.Seen(); return !at.After(before) && time.Since(at) > 20*quick.poll })
	d.add(logName, node("2"))
	soon("it is seen again", func() bool { at, _ := f.Seen(); return at.After(before) })
	if n := strings.Count(strings.Join(messages(logged), "\n"), "not there; waiting"); n != 1 {
		t.Errorf("it was said %d times in a moment that it is not there", n)
	}
}

func messages(o *observer.ObservedLogs) (all []string) {
	for _, e := range o.All() {
		all = append(all, e.Message)
	}
	return all
}
