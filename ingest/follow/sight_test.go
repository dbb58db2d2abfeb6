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
	over, taken, positions := make(chan error, 1), 0, make(chan string, 1000)
	go func() {
		over <- f.Follow(ctx, from, func(b *Batch) error {
			if taken++; taken > most {
				<-ctx.Done()
				return ctx.Err()
			}
			positions <- b.Next
			return nil
		})
	}()
	return positions, func() { cancel(); <-over }
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
	t.Parallel()
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
	t.Parallel()
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
	isLogged := func(text string) func() bool {
		return func() bool { return logged.FilterMessageSnippet(text).Len() > 0 }
	}
	soon("its absence is logged", isLogged("does not exist; waiting"))
	if at, _ := f.Seen(); !at.IsZero() {
		t.Errorf("a file that is not there was seen at %v", at)
	}
	d.add(logName, node("1"))
	soon("it is seen", func() bool { at, lag := f.Seen(); return !at.IsZero() && lag == 0 })
	soon("its return is logged", isLogged("exists now"))
	before, _ := f.Seen()
	soon("it is seen again, with nothing new", func() bool { at, _ := f.Seen(); return at.After(before) })
	logged.TakeAll()
	d.remove(logName)
	soon("its absence is logged again", isLogged("does not exist; waiting"))
	before, _ = f.Seen()
	soon("it is not seen for many looks", func() bool { at, _ := f.Seen(); return !at.After(before) && time.Since(at) > 20*quick.poll })
	d.add(logName, node("2"))
	soon("it is seen again", func() bool { at, _ := f.Seen(); return at.After(before) })
	if n := strings.Count(strings.Join(messages(logged), "\n"), "does not exist; waiting"); n != 1 {
		t.Errorf("its absence was reported %d times in a moment", n)
	}
}

func messages(o *observer.ObservedLogs) (all []string) {
	for _, e := range o.All() {
		all = append(all, e.Message)
	}
	return all
}

// From the position of any line of a batch on, the rest is read: of a file that
// grows, and of one that was rotated or compressed since.
func TestPositionInABatch(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"as it is", "rotated", "packed"} {
		d := newDisk(t)
		d.add(logName, "\uFEFF"+nodes("1", "2")+"{\n\n"+nodes("3", "4", "5"))
		f, err := Open(d.path(logName), Options{pace: quick})
		d.must(err)
		read := func(from string, take func(b *Batch)) (got []string) {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			f.Follow(ctx, from, func(b *Batch) error {
				for i := range b.Events {
					got = append(got, b.Events[i].ID)
				}
				if take(b); len(got) > 0 && got[len(got)-1] == "9" {
					cancel()
				}
				return nil
			})
			return got
		}
		positions := map[string]string{} // by id
		stop, cancel := context.WithCancel(t.Context())
		f.Follow(stop, "", func(b *Batch) error {
			for i := range b.Events {
				positions[b.Events[i].ID] = b.At(b.Events[i].Pos.Line)
			}
			for _, bad := range b.Bad {
				positions["bad"] = b.At(bad.Err.Pos.Line)
			}
			if len(b.Events) > 0 {
				cancel()
			}
			return nil
		})
		if how != "as it is" {
			d.rename(logName, logName+".1")
		}
		if how == "packed" {
			d.pack(logName+".1", ".gz")
		}
		d.add(logName, nodes("8", "9"))
		for id, want := range map[string]string{"1": "1234589", "2": "234589", "bad": "34589", "3": "34589", "4": "4589", "5": "589"} {
			bad := 0
			var lost []string
			got := strings.Join(read(positions[id], func(b *Batch) {
				bad += len(b.Bad)
				if b.Missed != nil {
					lost = append(lost, b.Missed.Error())
				}
			}), "")
			if withBad := strings.Contains("1 2 bad", id); got != want || len(lost) > 0 || withBad != (bad == 1) {
				t.Errorf("%s, from %s on: read %s and %d bad lines, want %s; lost %q; the position is %s", how, id, got, bad, want, lost, positions[id])
			}
		}
	}
}
