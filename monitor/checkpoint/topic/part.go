package topic

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"tracecheck/ingest/kafka"
	"tracecheck/monitor/checkpoint"
)

// part is the checkpoints of one part.
type part struct {
	store     *Store
	name      string
	partition int
	epoch     uint64
	owner     string

	found *replay // what was there, until it is loaded

	whole  bool            // the next must be of all streams
	tries  int             // how many spaces this owner has begun
	space  space           // the current one
	n      uint64          // of the last checkpoint
	slots  map[id]*written // of the current space; nil: there is none yet
	marked bool            // it may have a mark
	tally  checkpoint.Tally
	excess [][]byte // keys that are of no use when the next checkpoint is there
	failed [][]byte // keys of checkpoints that failed before their mark: of no use at all
}

// newOwner is a name that nobody else has: 60 random bits.
func newOwner() string { return rand.Text()[:12] }

func (p *part) Whole() bool { return p.whole }

func (p *part) Close() error { return nil }

// Damage is nil: nothing is passed over.
func (p *part) Damage() error { return nil }

// read reads all that there is.
func (p *part) read(ctx context.Context) error {
	start, end, err := p.store.broker.bounds(ctx, p.partition)
	if err != nil {
		return err
	}
	p.found = newReplay(p.name)
	p.found.next = start
	return p.readTo(ctx, end)
}

// readTo reads on.
func (p *part) readTo(ctx context.Context, end int64) error {
	if p.found.next >= end {
		return nil
	}
	err := p.store.broker.read(ctx, p.partition, p.found.next, end, func(m kafka.Message) error {
		return p.found.add(m.Offset, m.Key, m.Value)
	})
	p.found.next = max(p.found.next, end)
	if err != nil {
		return fmt.Errorf("cannot read the checkpoint of %s in topic %s: %w", p.name, p.store.topic, err)
	}
	if best := p.found.best(); best != nil {
		p.n = best.mark.n
	}
	p.excess = p.found.keys()
	return nil
}

// looks is how often a checkpoint is read that is not whole, and pause how long
// to wait in between: compaction may have run through the reading.
const looks = 3

var pause = time.Second

// Load returns what was there when the part was opened. It is called once.
func (p *part) Load(ctx context.Context, head func([]byte) error, stream func(string, []byte) error) (bool, error) {
	if p.found == nil {
		return false, errors.New("the checkpoint was loaded already")
	}
	defer func() { p.found = nil }()
	var c *saved
	for n := 1; ; n++ {
		best := p.found.best()
		if best == nil {
			return false, nil
		}
		var err error
		if c, err = best.take(); err == nil {
			break
		}
		if n == looks {
			return true, fmt.Errorf("the checkpoint of %s in topic %s is damaged (%w): name another topic to begin anew, which forgets what was judged", p.name, p.store.topic, err)
		}
		p.store.log.Warn("a checkpoint is not whole; reading it again", zap.String("part", p.name), zap.Error(err))
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return true, ctx.Err()
		}
		if err := p.read(ctx); err != nil {
			return true, err
		}
	}
	if err := head(c.head); err != nil {
		return true, err
	}
	for i := range c.streams {
		if err := ctx.Err(); err != nil {
			return true, err
		}
		if err := stream(c.streams[i].Name, c.streams[i].State); err != nil {
			return true, err
		}
		c.streams[i].State = nil
	}
	return true, nil
}
