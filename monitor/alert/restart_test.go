package alert

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tracecheck/internal/exhaustive"
)

// part is what a monitor does with one: it judges events, of which each is a
// violation, puts them into the outbox, and makes checkpoints now and then.
type part struct {
	name  string
	at    int // the next event
	saved int
	kept  []Pending
}

func (p *part) checkpoint(q *Queue) { p.saved, p.kept = p.at, q.Pending(p.name) }

// load goes on from the checkpoint.
func (p *part) load(q *Queue) {
	p.at = p.saved
	q.Restore(p.name, p.kept)
}

// Whatever receivers fail, and wherever processes end or give parts away, each
// receiver has each id in the end, first in the order of its part.
func TestRestarts(t *testing.T) {
	seeds := exhaustive.Or[uint64](40, 300)
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) { restarts(t, rand.New(rand.NewPCG(seed, 1))) })
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

const events = 60 // of each part

func restarts(t *testing.T, random *rand.Rand) {
	receivers := []*fake{{name: "a"}, {name: "b"}, {name: "c"}}
	for _, r := range receivers {
		mine := rand.New(rand.NewPCG(random.Uint64(), 2))
		r.deny = func(alerts []Alert) error { // some fail half way: those before have arrived
			time.Sleep(time.Duration(mine.IntN(50)) * time.Millisecond)
			switch mine.IntN(4) {
			case 0:
				return errDown
			case 1:
				n := mine.IntN(len(alerts))
				for _, a := range alerts[:n] {
					r.got = append(r.got, a.ID)
				}
				return errDown
			}
			return nil
		}
	}
	parts := []*part{{name: "p0"}, {name: "p1"}, {name: "p2"}}
	for done := false; !done; {
		opts := Options{
			MaxPending: 1 + random.IntN(20), MaxBatch: 1 + random.IntN(5), RetryMax: time.Second,
			Remember: []int{1, 5, 1000}[random.IntN(3)],
		}
		q := newQueue(t, opts, receivers[0], receivers[1], receivers[2])
		ctx, kill := context.WithCancel(t.Context())
		var judging sync.WaitGroup
		for _, p := range parts {
			mine := rand.New(rand.NewPCG(random.Uint64(), 3))
			p.load(q)
			judging.Go(func() { p.judge(ctx, q, mine) })
		}
		if random.IntN(4) > 0 {
			time.Sleep(time.Duration(random.IntN(2000)) * time.Millisecond)
			kill()
		}
		judging.Wait()
		done = ctx.Err() == nil
		kill()
		short, cancel := context.WithTimeout(t.Context(), time.Duration(random.IntN(100))*time.Millisecond)
		if done {
			short = t.Context()
		}
		if err := q.Close(short); done && err != nil {
			t.Errorf("Close: %v", err)
		}
		cancel()
		if random.IntN(2) == 0 { // an orderly end
			for _, p := range parts {
				p.checkpoint(q)
			}
		}
	}
	for _, r := range receivers {
		first := map[string][]string{}
		seen := map[string]bool{}
		for _, id := range r.got {
			if name, _, _ := strings.Cut(id, "-"); !seen[id] {
				seen[id] = true
				first[name] = append(first[name], id)
			}
		}
		for _, p := range parts {
			var want []string
			for i := range events {
				want = append(want, fmt.Sprint(p.name, "-", i))
			}
			if !slices.Equal(first[p.name], want) {
				t.Errorf("%s has of %s %v", r.name, p.name, first[p.name])
			}
		}
	}
}

// judge goes on until ctx ends or nothing is left. Now and then it gives the part
// away, and gets it back as it was at the checkpoint.
func (p *part) judge(ctx context.Context, q *Queue, random *rand.Rand) {
	for p.at < events && ctx.Err() == nil {
		n := min(1+random.IntN(5), events-p.at)
		if add(ctx, q, p.name, numbered(p.name, p.at, n)) != nil {
			return
		}
		p.at += n
		switch random.IntN(10) {
		case 0, 1, 2:
			p.checkpoint(q)
		case 3:
			q.Drop(p.name)
			time.Sleep(time.Duration(random.IntN(100)) * time.Millisecond)
			p.load(q)
		}
		time.Sleep(time.Duration(random.IntN(30)) * time.Millisecond)
	}
}
