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
	marks  int             // how many it may have
	tally  checkpoint.Tally
	lone   int      // how many states are in one slot only: those that the last checkpoint has written
	from   int64    // where the last checkpoint was written, from this offset
	end    int64    // to that of its mark
	gone   []id     // streams that are not in the last checkpoint, and are in the one before
	excess [][]byte // keys that are of no use when there are two checkpoints in the current space
	over   bool     // what was there does not count: its owner has not loaded it
	listed bool     // it is known that the part has checkpoints
	damage error
	failed [][]byte // keys of checkpoints that failed before their mark: of no use at all
}

// newOwner is a name that nobody else has: 60 random bits.
func newOwner() string { return rand.Text()[:12] }

func (p *part) Whole() bool { return p.whole }

func (p *part) Close() error { return nil }

func (p *part) Damage() error { return p.damage }

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
	p.n = p.found.last()
	p.excess = p.found.keys()
	return nil
}

// looks is how often a checkpoint is read that is not whole.
const looks = 3

// Load returns what was there when the part was opened. It is called once.
func (p *part) Load(ctx context.Context, head func([]byte) error, stream func(string, []byte) error) (bool, error) {
	if p.found == nil {
		return false, errors.New("the checkpoint was loaded already")
	}
	defer func() { p.found = nil }()
	var c *saved
	for n := 1; ; n++ {
		all := p.found.all()
		if len(all) == 0 {
			return false, p.lost(ctx)
		}
		var err error
		if c, err = all[0].take(); err == nil {
			break
		}
		if n == looks {
			if c, err = p.before(all, err); err != nil {
				return true, err
			}
			break
		}
		p.store.log.Warn("a checkpoint is not whole; reading it again", zap.String("part", p.name), zap.Error(err))
		select {
		case <-time.After(p.store.pause):
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

// before returns the checkpoint before the last, which is damaged; or an earlier
// one, where the one before was damaged already when its owner went on.
func (p *part) before(all []made, damage error) (*saved, error) {
	p.damage = fmt.Errorf("the last checkpoint of %s in topic %s is damaged (%w)", p.name, p.store.topic, damage)
	err := errors.New("there is none")
	for i := range all[1:] {
		c, bad := all[1+i].take()
		if bad == nil {
			return c, nil
		}
		if i == 0 {
			err = bad
		}
	}
	return nil, fmt.Errorf("%w, and so is the one before it (%w): begin over with --start-over, which forgets what was judged, or name another topic", p.damage, err)
}

// lost returns an error if the part has had a checkpoint, of which there is
// nothing.
func (p *part) lost(ctx context.Context) error {
	known, err := p.store.knows(ctx, p.name)
	if err == nil && known {
		err = fmt.Errorf("the checkpoints of %s in topic %s are gone: begin over with --start-over, which forgets what was judged, or name another topic", p.name, p.store.topic)
	}
	return err
}
