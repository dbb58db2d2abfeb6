package alert

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// stats is what a receiver's states.
func stats(t *testing.T, q *Queue, name string) Stats {
	t.Helper()
	for _, s := range q.Stats() {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no receiver %s", name)
	return Stats{}
}

// One that is down keeps nobody else waiting, and gets all in the end.
func TestOneIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := &fake{name: "a"}, &fake{name: "b", deny: down}
		q := newQueue(t, Options{MaxBatch: 2}, a, b)
		mustAdd(t, q, "p", simple("1", "2", "3", "4", "5")...)
		synctest.Wait()
		want := []string{"1", "2", "3", "4", "5"}
		if got := a.ids(); !slices.Equal(got, want) {
			t.Errorf("a has %v, want %v", got, want)
		}
		s := stats(t, q, "b")
		if s.Pending != 5 || s.Failures != 1 || s.LastError != "down" || s.Delivered != 0 || !s.Oldest.Equal(found) {
			t.Errorf("b: %+v", s)
		}
		if s := stats(t, q, "a"); s.Pending != 0 || s.Delivered != 5 || s.LastError != "" || !s.Oldest.IsZero() {
			t.Errorf("a: %+v", s)
		}
		if p := q.Pending("p"); len(p) != 5 || p[4].Alert.ID != "5" || !slices.Equal(p[0].For, []string{"b"}) {
			t.Errorf("pending: %+v", p)
		}
		if p := q.Pending("other"); len(p) != 0 {
			t.Errorf("pending of another part: %+v", p)
		}
		b.set(nil)
		time.Sleep(time.Hour)
		synctest.Wait()
		if got := b.ids(); !slices.Equal(got, want) {
			t.Errorf("b has %v, want %v", got, want)
		}
		if s := stats(t, q, "b"); s.Pending != 0 || s.LastError != "" || len(q.queued) != 0 || q.bytes != 0 {
			t.Errorf("all have all, but b: %+v, and %d alerts of %d bytes are kept", s, len(q.queued), q.bytes)
		}
		if err := q.Close(t.Context()); err != nil || !a.shut || !b.shut {
			t.Errorf("Close: %v; the receivers are closed: %t, %t", err, a.shut, b.shut)
		}
		if n, _ := q.Reserve(1); n != 0 {
			t.Errorf("%d events may be judged after Close", n)
		}
		q.Add("p", simple("6"), 0) // of an event that was judged while it was closed
		if p := q.Pending("p"); len(p) != 1 || p[0].Alert.ID != "6" {
			t.Errorf("added after Close, and pending are %+v", p)
		}
	})
}

// What is withdrawn is neither sent nor kept, and other alerts are as before, also those of
// other parts.
func TestWithdraw(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &fake{name: "a", deny: down}
		q := newQueue(t, Options{MaxBatch: 2}, a)
		mustAdd(t, q, "p", simple("1", "2", "3")...)
		mustAdd(t, q, "o", simple("4")...)
		synctest.Wait() // the first delivery has failed
		q.Withdraw("p", func(a *Alert) bool { return a.ID == "2" || a.ID == "4" })
		if p := q.Pending("p"); len(p) != 2 || p[0].Alert.ID != "1" || p[1].Alert.ID != "3" {
			t.Errorf("pending: %+v", p)
		}
		a.set(nil)
		time.Sleep(time.Hour)
		synctest.Wait()
		if got, want := a.ids(), []string{"1", "3", "4"}; !slices.Equal(got, want) || len(q.queued) != 0 || q.bytes != 0 {
			t.Errorf("it has %v, want %v; %d alerts of %d bytes are kept", got, want, len(q.queued), q.bytes)
		}
		if err := q.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// Attempts become rarer, but not rarer than they should, and come when a
// receiver wants them.
func TestRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []time.Time
		r := &fake{name: "r", deny: func([]Alert) error {
			at = append(at, time.Now())
			return errDown
		}}
		q := newQueue(t, Options{}, r)
		mustAdd(t, q, "p", simple("1")...)
		time.Sleep(30 * time.Minute)
		synctest.Wait()
		for i := 1; i < len(at); i++ {
			most := min(100*time.Millisecond<<min(i-1, 20), time.Minute)
			if gap := at[i].Sub(at[i-1]); gap < most/2 || gap > most {
				t.Errorf("attempt %d comes %s after the one before, want %s to %s", i, gap, most/2, most)
			}
		}
		if len(at) < 30 {
			t.Errorf("%d attempts in half an hour", len(at))
		}
		r.set(func([]Alert) error {
			at = append(at, time.Now())
			return &LaterError{Err: errDown, After: 10 * time.Minute}
		})
		time.Sleep(time.Hour)
		synctest.Wait()
		if gap := at[len(at)-1].Sub(at[len(at)-2]); gap != 10*time.Minute {
			t.Errorf("it asks for 10 minutes, and the next attempt comes after %s", gap)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := q.Close(ctx); err == nil || !strings.Contains(err.Error(), "r has not received 1 alerts") {
			t.Errorf("Close: %v", err)
		}
		if p := q.Pending("p"); len(p) != 1 {
			t.Errorf("pending after Close: %+v", p)
		}
	})
	q := newQueue(t, Options{})
	if d := q.pause(1, &LaterError{errDown, 24 * time.Hour}); d != time.Hour {
		t.Errorf("a receiver that wants a day gets %s", d)
	}
}

// Close makes one more attempt at once, and others until its time is over.
func TestCloseDelivers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &fake{name: "r", deny: down}
		q := newQueue(t, Options{RetryMin: time.Hour, RetryMax: time.Hour}, r)
		mustAdd(t, q, "p", simple("1", "2")...)
		synctest.Wait()
		r.set(nil)
		began := time.Now()
		if err := q.Close(t.Context()); err != nil || len(r.ids()) != 2 || time.Since(began) != 0 {
			t.Errorf("Close: %v; delivered: %v after %s", err, r.ids(), time.Since(began))
		}
	})
	synctest.Test(t, func(t *testing.T) {
		r := &stuck{}
		q := newQueue(t, Options{}, r)
		mustAdd(t, q, "p", simple("1")...)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		err := q.Close(ctx) // a goroutine that is left fails the test
		if err == nil || time.Since(began) != time.Minute {
			t.Errorf("Close: %v after %s", err, time.Since(began))
		}
		if s := stats(t, q, "stuck"); s.Failures != 0 {
			t.Errorf("to be stopped is no failure: %+v", s)
		}
	})
}

// stuck never answers.
type stuck struct{}

func (*stuck) Name() string { return "stuck" }
func (*stuck) Close() error { return nil }
func (*stuck) Deliver(ctx context.Context, _ []Alert) error {
	<-ctx.Done()
	return ctx.Err()
}

// No more events may be judged than there is room for what they make; who waits
// for room gets it when alerts have arrived.
func TestBackpressure(t *testing.T) {
	for name, opts := range map[string]Options{
		"by number": {MaxPending: 4, RetryMax: time.Second},
		"by bytes":  {MaxBytes: 4 * size(&simple("1")[0]), RetryMax: time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := &fake{name: "r", deny: down}
			q := newQueue(t, opts, &fake{name: "other"}, r)
			mustAdd(t, q, "p", simple("1", "2", "3", "4")...)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if err := add(ctx, q, "p", simple("5")); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: added beyond the bound: %v", name, err)
			}
			added := make(chan error)
			for _, id := range []string{"8", "9"} {
				go func() { added <- add(t.Context(), q, "p", simple(id)) }()
			}
			synctest.Wait()
			if n := len(q.Pending("p")); n != 4 {
				t.Errorf("%s: %d are pending, want 4", name, n)
			}
			r.set(nil)
			for range 2 {
				if err := <-added; err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			synctest.Wait()
			got := r.ids()
			if !slices.IsSorted(got[:4]) {
				t.Errorf("%s: not in order: %v", name, got)
			}
			slices.Sort(got)
			if want := []string{"1", "2", "3", "4", "8", "9"}; !slices.Equal(got, want) {
				t.Errorf("%s: delivered %v, want %v", name, got, want)
			}
			ctx, cancel = context.WithCancel(t.Context())
			cancel()
			q.Close(ctx)
		})
	}
}

// No more than the bound come to be pending, whatever the events make up to what
// room is reserved for. Only where less room is left, one event's alerts can go
// beyond it.
func TestReserve(t *testing.T) {
	for _, c := range []struct{ bound, makes, most int }{
		{1, 1, 1}, {3, 1, 3}, {50, 1, 50}, {1000, 1, 1000}, {1, perEvent, perEvent}, {50, perEvent, 49 + perEvent}, {1000, perEvent, 999 + perEvent},
	} {
		random := rand.New(rand.NewPCG(uint64(c.bound), uint64(c.makes)))
		q := newQueue(t, Options{MaxPending: c.bound, MaxBytes: 1 << 40, RetryMax: time.Hour}, &fake{name: "r", deny: down})
		next := 0
		var held []int // by who judges at the moment
		for range 100_000 {
			if n, _ := q.Reserve(1 + random.IntN(100)); n > 0 {
				held = append(held, n)
				if random.IntN(3) > 0 {
					continue
				}
			}
			if len(held) == 0 {
				break // it is full
			}
			n := held[0]
			held = held[1:]
			var alerts []Alert
			for range n * c.makes {
				alerts = append(alerts, simple(fmt.Sprint(next))...)
				next++
			}
			q.Add("p", alerts, n)
			if random.IntN(10) == 0 {
				q.Add("p", alerts, 0) // again
			}
		}
		if n := len(q.Pending("p")); n > c.most || n < c.bound {
			t.Errorf("bound %d, each event makes %d: %d are pending, want %d at most", c.bound, c.makes, n, c.most)
		}
		if len(held) > 0 || q.reserved != 0 {
			t.Errorf("it is not full, and %d events are reserved", q.reserved)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		q.Close(ctx)
	}
}

// What a checkpoint has goes to those it names, once, and not to who has it. Where
// it names one that is not there, as another process's are, it goes to all.
func TestRestore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b, c := &fake{name: "a"}, &fake{name: "b", deny: down}, &fake{name: "c"}
		q := newQueue(t, Options{RetryMax: time.Second}, a, b, c)
		one := simple("1", "2", "3", "4")
		pending := []Pending{{one[0], []string{"a"}}, {one[1], []string{"gone", "b"}}, {one[2], []string{"gone"}}, {one[3], []string{"a", "b"}}}
		q.Restore("p", pending)
		q.Restore("p", pending)
		mustAdd(t, q, "p", simple("2", "4", "5")...) // judged once more
		synctest.Wait()
		b.set(nil)
		time.Sleep(time.Minute)
		synctest.Wait()
		q.Restore("p", pending[3:])
		mustAdd(t, q, "p", simple("5")...)
		synctest.Wait()
		for f, want := range map[*fake][]string{a: {"1", "2", "3", "4", "5"}, b: {"2", "3", "4", "5"}, c: {"2", "3", "5"}} {
			if got := f.ids(); !slices.Equal(got, want) {
				t.Errorf("%s has %v, want %v", f.name, got, want)
			}
		}
		q.Close(t.Context())
	})
}

// A part that goes and comes back, while its alerts are under way, is not logged
// of twice by one process.
func TestDrop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		r := &fake{name: "r", deny: func([]Alert) error { <-gate; return nil }}
		slow := &fake{name: "slow", deny: down}
		q := newQueue(t, Options{MaxBatch: 2, RetryMax: time.Second}, r, slow)
		mustAdd(t, q, "p", simple("1", "2")...)
		mustAdd(t, q, "other", simple("3")...)
		synctest.Wait() // 1 and 2 are under way
		saved := q.Pending("p")
		q.Drop("p")
		if n := len(q.Pending("p")); n != 0 {
			t.Errorf("%d of a dropped part are pending", n)
		}
		if n := len(q.Pending("other")); n != 1 {
			t.Errorf("%d of the other part are pending, want 1", n)
		}
		q.Restore("p", saved)
		close(gate)
		synctest.Wait()
		if got, want := r.ids(), []string{"1", "2", "3"}; !slices.Equal(got, want) {
			t.Errorf("delivered %v, want %v", got, want)
		}
		q.Drop("p")
		slow.set(nil)
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := slow.ids(); !slices.Equal(got, []string{"3"}) {
			t.Errorf("delivered %v, want what was not dropped", got)
		}
		if len(q.queued) != 0 || q.bytes != 0 {
			t.Errorf("%d alerts of %d bytes are kept", len(q.queued), q.bytes)
		}
		q.Close(t.Context())
	})
}

// What will never be taken is in the log, whole, and blocks nobody.
func TestRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, logged := observer.New(zap.ErrorLevel)
		r := &fake{name: "r", deny: func(alerts []Alert) error {
			var refused RefusedError
			for i := range alerts {
				if alerts[i].Stream == "bad" {
					refused.Refusals = append(refused.Refusals, Refusal{i, "it is bad"})
				}
			}
			if len(refused.Refusals) > 0 {
				return &refused
			}
			return nil
		}}
		q := newQueue(t, Options{Log: zap.New(log)}, r)
		mustAdd(t, q, "p", simple("1", "2")...)
		mustAdd(t, q, "p", violated("bad-id", "bad"))
		mustAdd(t, q, "p", simple("3")...)
		synctest.Wait()
		if got, want := r.ids(), []string{"1", "2", "3"}; !slices.Equal(got, want) {
			t.Errorf("delivered %v, want %v", got, want)
		}
		if s := stats(t, q, "r"); s.Delivered != 3 || s.Refused != 1 || s.Pending != 0 || s.Failures != 0 {
			t.Errorf("%+v", s)
		}
		if all := logged.All(); len(all) != 1 {
			t.Errorf("logged: %v", all)
		} else {
			fields := all[0].ContextMap()
			bad := violated("bad-id", "bad")
			if whole, ok := fields["alert"].(interface{ MarshalJSON() ([]byte, error) }); !ok {
				t.Errorf("the alert in the log is a %T", fields["alert"])
			} else if text, _ := whole.MarshalJSON(); string(text) != string(encode(&bad)) || fields["reason"] != "it is bad" {
				t.Errorf("logged: %s because %v", text, fields["reason"])
			}
		}
		q.Close(t.Context())
	})
}

func TestNamesDiffer(t *testing.T) {
	if _, err := NewOutbox([]Receiver{&fake{name: "a"}, &fake{name: "b"}, &fake{name: "a"}}, Options{}); err == nil || !strings.Contains(err.Error(), `"a"`) {
		t.Errorf("two of a name: %v", err)
	}
}

func TestIDs(t *testing.T) {
	s := ids{limit: 3}
	for _, id := range []string{"a", "b", "a", "c", "d", "e", "e"} {
		s.add(id)
	}
	for id, want := range map[string]bool{"a": false, "b": false, "c": true, "d": true, "e": true} {
		if s.has(id) != want {
			t.Errorf("%s is among the latest three: %t, want %t", id, !want, want)
		}
	}
	if len(s.all) != 3 || len(s.ring) != 3 {
		t.Errorf("%d and %d are kept, want 3", len(s.all), len(s.ring))
	}
	none := ids{limit: -1}
	none.add("a")
	if none.has("a") {
		t.Error("kept although none is to be")
	}
}
