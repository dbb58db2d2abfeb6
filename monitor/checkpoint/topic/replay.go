package topic

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"tracecheck/monitor/checkpoint"
)

// replay is what the records of a part come to, read in order.
type replay struct {
	part   string
	spaces map[space]*content
	next   int64 // the offset to go on from
}

// content is what there is of a space.
type content struct {
	mark   mark
	marked int64                       // the offset of the mark; less than 0: there is none
	slots  map[id]*[2]map[uint32]chunk // by number
	keys   map[string]bool             // all there are
}

func newReplay(part string) *replay { return &replay{part: part, spaces: map[space]*content{}} }

// add takes a record, unless it is another part's. It keeps none of its bytes.
func (r *replay) add(offset int64, keyBytes, value []byte) error {
	r.next = offset + 1
	k, err := readKey(keyBytes)
	if err != nil {
		return fmt.Errorf("the key at offset %d is none of a checkpoint: %w", offset, err)
	}
	if k.part != r.part || k.kind == layout {
		return nil
	}
	c := r.spaces[k.space]
	if c == nil {
		c = &content{marked: -1, slots: map[id]*[2]map[uint32]chunk{}, keys: map[string]bool{}}
		r.spaces[k.space] = c
	}
	if value == nil {
		delete(c.keys, string(keyBytes))
	} else {
		c.keys[string(keyBytes)] = true
	}
	switch {
	case k.kind == claim:
	case k.kind == commit && value == nil:
		c.marked = -1
	case k.kind == commit:
		if c.mark, err = readMark(value); err != nil {
			return fmt.Errorf("the record at offset %d: %w", offset, err)
		}
		c.marked = offset
	default:
		if err := c.set(&k, value); err != nil {
			return fmt.Errorf("the record at offset %d: %w", offset, err)
		}
	}
	if len(c.keys) == 0 {
		delete(r.spaces, k.space)
	}
	return nil
}

func (c *content) set(k *key, value []byte) error {
	of := id{k.kind, k.stream}
	slots := c.slots[of]
	if value == nil {
		if slots != nil {
			delete(slots[k.slot], k.chunk)
			if len(slots[0])+len(slots[1]) == 0 {
				delete(c.slots, of)
			}
		}
		return nil
	}
	one, err := readChunk(value)
	if err != nil {
		return err
	}
	one.data = bytes.Clone(one.data)
	if slots == nil {
		slots = &[2]map[uint32]chunk{}
		c.slots[of] = slots
	}
	if slots[k.slot] == nil {
		slots[k.slot] = map[uint32]chunk{}
	}
	slots[k.slot][k.chunk] = one
	return nil
}

// epoch is the largest that there is.
func (r *replay) epoch() (most uint64) {
	for s := range r.spaces {
		most = max(most, s.epoch)
	}
	return most
}

// best returns the space whose checkpoint counts, nil if there is none: that of
// the latest owner.
func (r *replay) best() *content {
	var best *content
	var of space
	for s, c := range r.spaces {
		if c.marked < 0 {
			continue
		}
		if best == nil || cmp.Or(cmp.Compare(s.epoch, of.epoch), cmp.Compare(c.mark.n, best.mark.n), cmp.Compare(c.marked, best.marked)) > 0 {
			best, of = c, s
		}
	}
	return best
}

// keys are those of all spaces.
func (r *replay) keys() [][]byte {
	var all [][]byte
	for _, c := range r.spaces {
		for k := range c.keys {
			all = append(all, []byte(k))
		}
	}
	return all
}

// saved is a checkpoint.
type saved struct {
	head    []byte
	streams []checkpoint.Stream // by name
}

// take returns the checkpoint that counts: of each stream the latest version
// that is no later than the mark. An error says that this is not what was saved.
func (c *content) take() (*saved, error) {
	var s saved
	var tally checkpoint.Tally
	for of, slots := range c.slots {
		n, data, ok := latest(slots, c.mark.n)
		if !ok {
			continue
		}
		tally.Add(of.version(n))
		if of.kind == top {
			s.head = data
			continue
		}
		name, state, err := nameOf(of, data)
		if err != nil {
			return nil, err
		}
		s.streams = append(s.streams, checkpoint.Stream{Name: name, State: state})
	}
	if s.head == nil || uint64(tally.Streams) != c.mark.streams || tally.Sum != c.mark.sum {
		return nil, fmt.Errorf("it has %d records and a head where %d were saved, or others", tally.Streams, c.mark.streams)
	}
	slices.SortFunc(s.streams, func(a, b checkpoint.Stream) int { return cmp.Compare(a.Name, b.Name) })
	return &s, nil
}

// version is what a tally counts.
func (of id) version(n uint64) (string, uint64) { return string(rune(of.kind)) + of.stream, n }

// latest returns the latest version up to checkpoint n.
func latest(slots *[2]map[uint32]chunk, n uint64) (at uint64, data []byte, ok bool) {
	for _, chunks := range slots {
		first, known := chunks[0]
		if !known || first.n > n || first.n <= at {
			continue
		}
		if first.of == 0 {
			at, data, ok = first.n, nil, false
			continue
		}
		all := []byte{}
		whole := true
		for i := range first.of {
			one, known := chunks[i]
			if whole = known && one.n == first.n && one.of == first.of; !whole {
				break
			}
			all = append(all, one.data...)
		}
		if whole {
			at, data, ok = first.n, all, true
		}
	}
	return at, data, ok
}
