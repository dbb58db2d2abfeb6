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

// part is the checkpoint.Part of this store.
type part struct {
	store     *Store
	name      string
	partition int
	epoch     uint64
	owner     string

	found *replay // what was read, until it is loaded

	whole  bool            // the next Save must have all streams
	tries  int             // spaces that this owner has begun
	space  space           // the current one
	n      uint64          // number of the last checkpoint
	slots  map[id]*written // of the current space; nil: none yet
	marks  int             // upper bound of its marks
	tally  checkpoint.Tally
	lone   int      // states in one slot only: those that the last checkpoint has written
	from   int64    // offset range of the last checkpoint:
	end    int64    // from its first record to its mark
	gone   []id     // streams of the checkpoint before the last that the last one lacks
	excess [][]byte // keys to delete when the current space has two checkpoints
	over   bool     // ignore what was read: the owner has not loaded it
	listed bool     // the part is listed as having checkpoints
	damage error
	failed [][]byte // keys of failed checkpoints without a mark, to delete
}

// newOwner returns a unique name: 60 random bits.
func newOwner() string { return rand.Text()[:12] }

func (p *part) Whole() bool { return p.whole }

func (p *part) Close() error { return nil }

func (p *part) Damage() error { return p.damage }

// read reads all records.
func (p *part) read(ctx context.Context) error {
	start, end, err := p.store.broker.bounds(ctx, p.partition)
	if err != nil {
		return err
	}
	p.found = newReplay(p.name)
	p.found.next = start
	return p.readTo(ctx, end)
}

// readTo reads up to an offset.
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

// looks bounds how often an incomplete checkpoint is read.
const looks = 3

// Load returns the checkpoint as of Open. It may be called once.
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
		p.store.log.Warn("a checkpoint is incomplete; reading it again", zap.String("part", p.name), zap.Error(err))
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

// before returns the checkpoint before the damaged last one. It returns an
// earlier one if that was damaged already when its owner resumed.
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
	return nil, fmt.Errorf("%w, and so is the previous one (%w): use --start-over, which discards them, or name another topic", p.damage, err)
}

// lost returns an error if the part has had a checkpoint, but no record of it
// exists.
func (p *part) lost(ctx context.Context) error {
	known, err := p.store.knows(ctx, p.name)
	if err == nil && known {
		err = fmt.Errorf("the checkpoints of %s in topic %s are lost: use --start-over to judge from the start, or name another topic", p.name, p.store.topic)
	}
	return err
}
