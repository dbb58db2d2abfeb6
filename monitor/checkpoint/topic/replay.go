package topic

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"sort"

	"tracecheck/monitor/checkpoint"
)

// replay is the state that a part's records build, read in order.
type replay struct {
	part   string
	spaces map[space]*content
	next   int64 // next offset to read
}

// content is the content of a space.
type content struct {
	marks [2]marked                   // by slot
	slots map[id]*[2]map[uint32]chunk // by number
	keys  map[string]bool             // all keys
}

// marked is a mark that was read.
type marked struct {
	mark
	offset int64 // less than 0: there is none
	err    error // why it is invalid
}

func newReplay(part string) *replay { return &replay{part: part, spaces: map[space]*content{}} }

// add applies a record, unless it belongs to another part. It keeps none of its
// bytes.
func (r *replay) add(offset int64, keyBytes, value []byte) error {
	r.next = offset + 1
	k, err := readKey(keyBytes)
	if err != nil {
		return fmt.Errorf("the key at offset %d is invalid: %w", offset, err)
	}
	if k.part != r.part || k.kind == layout || k.kind == known {
		return nil
	}
	c := r.spaces[k.space]
	if c == nil {
		c = &content{marks: [2]marked{{offset: -1}, {offset: -1}}, slots: map[id]*[2]map[uint32]chunk{}, keys: map[string]bool{}}
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
		c.marks[k.slot] = marked{offset: -1}
	case k.kind == commit:
		m := &c.marks[k.slot]
		m.offset = offset
		if m.mark, m.err = readMark(keyBytes, value); m.err != nil {
			m.err = fmt.Errorf("the record at offset %d: %w", offset, m.err)
			m.n = math.MaxUint64 // it may be the last
		}
	default:
		c.set(&k, keyBytes, value)
	}
	if len(c.keys) == 0 {
		delete(r.spaces, k.space)
	}
	return nil
}

// set stores a chunk. An invalid one counts as missing.
func (c *content) set(k *key, keyBytes, value []byte) {
	of := id{k.kind, k.stream}
	slots := c.slots[of]
	one, err := readChunk(keyBytes, value)
	if value == nil || err != nil {
		if slots != nil {
			delete(slots[k.slot], k.chunk)
			if len(slots[0])+len(slots[1]) == 0 {
				delete(c.slots, of)
			}
		}
		return
	}
	if slots == nil {
		slots = &[2]map[uint32]chunk{}
		c.slots[of] = slots
	}
	if other := slots[k.slot^1][k.chunk]; other.n == one.n && bytes.Equal(other.data, one.data) {
		one.data = other.data // share the memory
	} else {
		one.data = bytes.Clone(one.data)
	}
	if slots[k.slot] == nil {
		slots[k.slot] = map[uint32]chunk{}
	}
	slots[k.slot][k.chunk] = one
}

// epoch returns the largest epoch.
func (r *replay) epoch() (most uint64) {
	for s := range r.spaces {
		most = max(most, s.epoch)
	}
	return most
}

// made is a checkpoint that has a mark.
type made struct {
	*content
	space space
	marked
}

// all returns the checkpoints, the current one first: the last of the latest
// owner. The one before it follows.
func (r *replay) all() (list []made) {
	for s, c := range r.spaces {
		for _, m := range c.marks {
			if m.offset >= 0 {
				list = append(list, made{c, s, m})
			}
		}
	}
	sort.Slice(list, func(i, j int) bool {
		a, b := &list[i], &list[j]
		return cmp.Or(cmp.Compare(a.space.epoch, b.space.epoch), cmp.Compare(a.n, b.n), cmp.Compare(a.offset, b.offset)) > 0
	})
	return list
}

// last returns the number of the last known checkpoint, 0 if there is none.
func (r *replay) last() (n uint64) {
	for _, m := range r.all() {
		if m.err == nil {
			n = max(n, m.n)
		}
	}
	return n
}

// keys returns the keys of all spaces.
func (r *replay) keys() [][]byte {
	var all [][]byte
	for _, c := range r.spaces {
		for k := range c.keys {
			all = append(all, []byte(k))
		}
	}
	return all
}

// saved is a checkpoint that was read.
type saved struct {
	head    []byte
	streams []checkpoint.Stream // by name
}

// take returns the checkpoint: the latest version of each stream up to the
// mark. An error means that it does not match the tally.
func (c *made) take() (*saved, error) {
	if c.err != nil {
		return nil, c.err
	}
	var s saved
	var tally checkpoint.Tally
	for of, slots := range c.slots {
		n, data, ok := latest(slots, c.n)
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
	if s.head == nil || uint64(tally.Streams) != c.streams || tally.Sum != c.sum {
		return nil, fmt.Errorf("its %d records and head do not match the %d that were saved", tally.Streams, c.streams)
	}
	sort.Slice(s.streams, func(i, j int) bool { return s.streams[i].Name < s.streams[j].Name })
	return &s, nil
}

// version is the stream and version that a tally counts.
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
