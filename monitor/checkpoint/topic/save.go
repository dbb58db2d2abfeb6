package topic

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"go.uber.org/zap"

	"tracecheck/ingest/kafka"
	"tracecheck/monitor/checkpoint"
)

// written is what is stored of a stream or of the head.
type written struct {
	n      uint64    // latest version
	slot   uint8     // its slot
	chunks [2]uint32 // number of chunks in each slot
	gone   bool      // the latest version is a deletion
}

// Save writes the states and the head, and then the mark. After an error some
// writes may still arrive. So the next checkpoint uses new keys, as a new owner
// does.
func (p *part) Save(ctx context.Context, c *checkpoint.Change) error {
	if p.whole && !c.Whole {
		return errors.New("the first checkpoint of an owner, and one after a failure, must have all streams")
	}
	whole := c.Whole
	p.whole = true // until it has succeeded
	if whole {
		p.renew()
	}
	p.n++
	err := p.clean(ctx, &p.failed) // first, so that leftovers do not pile up while Kafka is unavailable
	var gone []id
	if err == nil {
		gone, err = p.states(ctx, c)
	}
	if err == nil {
		p.marks++ // possibly
		m := mark{p.n, uint64(p.tally.Streams), p.tally.Sum}
		k := p.markKey(uint8(p.n % 2))
		p.end, err = p.store.broker.write(ctx, p.partition, []message{{k, m.seal(k)}})
	}
	if err == nil && !p.listed {
		k := knownKey(p.name)
		_, err = p.store.broker.write(ctx, 0, []message{{k, sealed(k)}})
		p.listed = err == nil
	}
	if err != nil {
		return fmt.Errorf("cannot save a checkpoint of %s in topic %s: %w", p.name, p.store.topic, err)
	}
	if p.marks > 1 || p.over { // no other space is needed
		for _, of := range p.gone {
			if s := p.slots[of]; s.gone && s.n < p.n {
				p.excess = append(p.excess, p.keysOf(of)...)
				delete(p.slots, of)
			}
		}
		if err := p.clean(ctx, &p.excess); err != nil {
			p.store.log.Warn("cannot delete records of earlier checkpoints", zap.String("part", p.name), zap.Error(err))
			return nil
		}
	}
	p.gone, p.whole = gone, false
	return nil
}

func (p *part) markKey(slot uint8) []byte {
	k := key{kind: commit, part: p.name, space: p.space, slot: slot}
	return k.bytes()
}

// renew begins a new space, unless the current one is empty. Records of the
// current one are deleted when the new one has a checkpoint, or at once if
// there is no mark.
func (p *part) renew() {
	if p.found != nil {
		p.found, p.over = nil, true
	}
	if len(p.slots) > 0 {
		useless := &p.failed
		if p.marks > 0 {
			useless = &p.excess
			*useless = append(*useless, p.markKey(0), p.markKey(1))
		}
		for of := range p.slots {
			*useless = append(*useless, p.keysOf(of)...)
		}
		p.tries++
	}
	p.space = space{p.epoch, p.owner} // as claimed
	if p.tries > 0 {
		p.space.owner += fmt.Sprint(".", p.tries)
	}
	p.slots, p.marks, p.lone, p.gone = map[id]*written{}, 0, 0, nil
	p.tally = checkpoint.Tally{}
}

// states writes all but the mark. It returns the streams that are deleted by
// then. States that have not changed since the previous checkpoint are also
// written to their other slot: both checkpoints need them.
func (p *part) states(ctx context.Context, c *checkpoint.Change) (gone []id, err error) {
	w := p.store.writer(ctx, p.partition)
	lone := p.lone
	p.lone = 0
	p.put(w, id{kind: top}, c.Head)
	for one := range c.Each {
		if w.ctx.Err() != nil {
			break
		}
		of, name := idOf(one.Name)
		s := p.slots[of]
		if p.isLone(s) {
			lone--
		}
		if state := one.State; state != nil {
			if name != nil {
				state = append(name, state...)
			}
			p.put(w, of, state)
			p.lone++
			continue
		}
		if s != nil && !s.gone {
			p.tally.Remove(of.version(s.n))
			s.n, s.slot, s.gone = p.n, s.slot^1, true
			s.chunks[s.slot] = max(s.chunks[s.slot], 1)
			k := p.key(of, s.slot, 0)
			w.add(k, (&chunk{n: p.n}).seal(k))
			gone = append(gone, of)
		}
	}
	if w.fail(c.Err()); lone > 0 && w.ctx.Err() == nil {
		w.fail(p.double(w, lone))
	}
	err = w.end()
	p.from = w.first
	return gone, err
}

// isLone reports whether the last checkpoint has written the state, but this
// one has not. Then it is in one slot only.
func (p *part) isLone(s *written) bool { return s != nil && s.n == p.n-1 && !s.gone }

// double copies states that are in one slot only to the other slot. It reads
// them from Kafka: in memory they would be as large as the last checkpoint.
func (p *part) double(w *writer, lone int) error {
	left := lone // records to read: the first of each state, and those that this one needs
	err := p.store.broker.read(w.ctx, p.partition, p.from, p.end, func(m kafka.Message) error {
		k, err := readKey(m.Key)
		if err != nil {
			return err
		}
		of := id{k.kind, k.stream}
		s := p.slots[of]
		if m.Value == nil || k.part != p.name || k.space != p.space || !p.isLone(s) || k.slot != s.slot {
			return nil
		}
		c, err := readChunk(m.Key, m.Value)
		if err == nil && c.n != s.n {
			err = fmt.Errorf("it is for checkpoint %d, expected %d", c.n, s.n)
		}
		if err != nil {
			return fmt.Errorf("the record at offset %d: %w", m.Offset, err)
		}
		to := p.key(of, s.slot^1, k.chunk)
		w.add(to, c.seal(to))
		if left--; k.chunk == 0 {
			left += int(c.of) - 1
			p.shorten(w, of, s.slot^1, c.of)
		}
		return nil
	})
	if err == nil && left != 0 {
		err = errors.New("some of its records are missing")
	}
	if err != nil {
		return fmt.Errorf("cannot read the records of the last checkpoint: %w", err)
	}
	return nil
}

// put writes a state to the slot that does not have the latest version.
func (p *part) put(w *writer, of id, data []byte) {
	s := p.slots[of]
	if s == nil {
		s = &written{slot: 1}
		p.slots[of] = s
	} else if !s.gone {
		p.tally.Remove(of.version(s.n))
	}
	s.n, s.slot, s.gone = p.n, s.slot^1, false
	p.tally.Add(of.version(s.n))
	room := p.store.chunk - len(of.stream) - len(p.name) - overhead
	total := uint32(max(1, (len(data)+room-1)/room))
	for i := range total {
		n := min(room, len(data))
		k := p.key(of, s.slot, i)
		w.add(k, (&chunk{s.n, total, data[:n]}).seal(k))
		data = data[n:]
	}
	p.shorten(w, of, s.slot, total)
}

// shorten deletes chunks of an earlier version beyond the given number.
func (p *part) shorten(w *writer, of id, slot uint8, chunks uint32) {
	s := p.slots[of]
	for i := chunks; i < s.chunks[slot]; i++ {
		w.add(p.key(of, slot, i), nil)
	}
	s.chunks[slot] = chunks
}

func (p *part) key(of id, slot uint8, chunk uint32) []byte {
	k := key{kind: of.kind, part: p.name, space: p.space, stream: of.stream, slot: slot, chunk: chunk}
	return k.bytes()
}

// keysOf returns the keys of a stream, the latest version's last: the deletion
// mark is deleted after all others.
func (p *part) keysOf(of id) (all [][]byte) {
	s := p.slots[of]
	for _, slot := range []uint8{s.slot ^ 1, s.slot} {
		for i := range s.chunks[slot] {
			all = append(all, p.key(of, slot, i))
		}
	}
	return all
}

// clean deletes the keys' records, and empties the list.
func (p *part) clean(ctx context.Context, keys *[][]byte) error {
	if len(*keys) == 0 {
		return nil
	}
	w := p.store.writer(ctx, p.partition)
	for _, k := range *keys {
		w.add(k, nil)
	}
	if err := w.end(); err != nil {
		return err
	}
	*keys = nil
	return nil
}

// overhead estimates a record's size in bytes without the names in its key and
// its data.
const overhead = 200

// atOnce bounds the parallel writes.
const atOnce = 4

// writer collects messages, and writes them in any order.
type writer struct {
	ctx       context.Context // ends with the first error
	cancel    context.CancelCauseFunc
	store     *Store
	partition int
	pending   []message
	size      int
	free      chan struct{}
	going     sync.WaitGroup

	mu    sync.Mutex
	first int64 // the least offset written
}

func (s *Store) writer(ctx context.Context, partition int) *writer {
	ctx, cancel := context.WithCancelCause(ctx)
	return &writer{ctx: ctx, cancel: cancel, store: s, partition: partition, free: make(chan struct{}, atOnce), first: math.MaxInt64}
}

// add adds a message. Keys are distinct.
func (w *writer) add(key, value []byte) {
	size := len(key) + len(value) + overhead/4
	if w.size+size > w.store.chunk {
		w.flush()
	}
	w.pending = append(w.pending, message{key, value})
	w.size += size
}

func (w *writer) flush() {
	messages := w.pending
	w.pending, w.size = nil, 0
	if len(messages) == 0 || w.ctx.Err() != nil {
		return
	}
	w.free <- struct{}{}
	w.going.Go(func() {
		defer func() { <-w.free }()
		at, err := w.store.broker.write(w.ctx, w.partition, messages)
		w.fail(err)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.first = min(w.first, at)
	})
}

// fail stops writing; nil: no error.
func (w *writer) fail(err error) {
	if err != nil {
		w.cancel(err)
	}
}

// end waits until everything is written.
func (w *writer) end() error {
	w.flush()
	w.going.Wait()
	err := context.Cause(w.ctx)
	w.cancel(nil)
	return err
}
