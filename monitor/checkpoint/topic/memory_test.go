package topic

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/zap"

	"tracecheck/ingest/kafka"
	"tracecheck/monitor/checkpoint"
)

// memory is a broker that fails when it is asked to.
type memory struct {
	mu    sync.Mutex
	logs  [][]kafka.Message // by partition
	next  []int64
	left  int // how many records it still takes; less than 0: any number
	fate  func() fate
	later []func()
}

// fate is what becomes of a write.
type fate int

const (
	taken fate = iota
	lost
	unheard // it is taken, and nobody learns of it
	belated // it is taken later, and nobody learns of it
	fates
)

var errBroker = errors.New("the broker does not answer")

func newMemory(partitions int) *memory {
	return &memory{logs: make([][]kafka.Message, partitions), next: make([]int64, partitions), left: -1}
}

func (m *memory) store(t testing.TB) *Store {
	t.Helper()
	s := &Store{broker: m, topic: "state", chunk: 4 << 10, log: zap.NewNop()}
	if err := s.settle(t.Context(), len(m.logs)); err != nil {
		t.Fatalf("settle: %v", err)
	}
	return s
}

func (m *memory) append(partition int, messages []message) (at int64) {
	at = m.next[partition]
	for _, one := range messages {
		m.logs[partition] = append(m.logs[partition], kafka.Message{
			Offset: m.next[partition], Key: bytes.Clone(one.key), Value: bytes.Clone(one.value),
		})
		m.next[partition]++
	}
	return at
}

func (m *memory) write(ctx context.Context, partition int, messages []message) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	what := taken
	if m.fate != nil {
		what = m.fate()
	}
	if m.left >= 0 {
		if m.left < len(messages) {
			messages, what = messages[:m.left], unheard
		}
		m.left -= len(messages)
	}
	switch what {
	case taken:
		return m.append(partition, messages), nil
	case unheard:
		m.append(partition, messages)
	case belated:
		m.later = append(m.later, func() { m.append(partition, messages) })
	}
	return 0, errBroker
}

// catchUp takes some of what is belated.
func (m *memory) catchUp(rng *rand.Rand) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.later = slices.DeleteFunc(m.later, func(do func()) bool {
		if rng.IntN(2) == 0 {
			return false
		}
		do()
		return true
	})
}

func (m *memory) read(_ context.Context, partition int, from, end int64, take func(kafka.Message) error) error {
	m.mu.Lock()
	log := slices.Clone(m.logs[partition])
	m.mu.Unlock()
	for _, one := range log {
		if one.Offset >= from && one.Offset < end {
			if err := take(one); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *memory) bounds(_ context.Context, partition int) (start, end int64, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return 0, m.next[partition], nil
}

// compact does as Kafka may: up to some record, only the last of each key stays,
// and it too goes if it deletes.
func (m *memory) compact(rng *rand.Rand) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for p, log := range m.logs {
		if len(log) == 0 {
			continue
		}
		end := rng.IntN(len(log))
		last := map[string]int{}
		for i, one := range log[:end] {
			last[string(one.Key)] = i
		}
		var kept []kafka.Message
		for i, one := range log {
			if i >= end || last[string(one.Key)] == i && (one.Value != nil || rng.IntN(2) == 0) {
				kept = append(kept, one)
			}
		}
		m.logs[p] = kept
	}
}

// live returns the keys that there are, but for the layout.
func (m *memory) live(partition int) map[string]bool {
	keys := map[string]bool{}
	for _, one := range m.logs[partition] {
		keys[string(one.Key)] = one.Value != nil
	}
	maps.DeleteFunc(keys, func(k string, there bool) bool {
		parsed, _ := readKey([]byte(k))
		return !there || parsed.kind == layout || parsed.kind == known
	})
	return keys
}

// picture is a checkpoint as it is to be.
type picture struct {
	head    string
	streams map[string]string
}

func (p *picture) equal(q *picture) bool {
	return p == q || p != nil && q != nil && p.head == q.head && maps.Equal(p.streams, q.streams)
}

func (p *picture) String() string {
	if p == nil {
		return "nothing"
	}
	return fmt.Sprintf("head %.30q, %d streams", p.head, len(p.streams))
}

// loadPicture is what Load gives.
func loadPicture(p checkpoint.Part) (*picture, error) {
	got := &picture{streams: map[string]string{}}
	calls := 0
	found, err := p.Load(context.Background(), func(head []byte) error {
		if calls++; calls != 1 {
			return errors.New("the head is not the first")
		}
		got.head = string(head)
		return nil
	}, func(name string, state []byte) error {
		if calls++; calls < 2 {
			return errors.New("a stream comes before the head")
		}
		if _, twice := got.streams[name]; twice {
			return fmt.Errorf("%q comes twice", name)
		}
		got.streams[name] = string(state)
		return nil
	})
	if err != nil || !found {
		return nil, err
	}
	return got, nil
}

func openPart(t testing.TB, s *Store, name string) (checkpoint.Part, *picture) {
	t.Helper()
	p, err := s.Open(t.Context(), name)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	got, err := loadPicture(p)
	if err != nil {
		t.Fatalf("load: %v", err)
	}
	return p, got
}

// saver makes random checkpoints, each of which differs from all others.
type saver struct {
	rng  *rand.Rand
	made int
}

var streamNames = []string{"", "a", "b", "c", strings.Repeat("long ", 2000), strings.Repeat("long ", 2000) + "!"}

// next returns what comes after, and the change that leads there.
func (s *saver) next(from *picture, whole bool) (*picture, *checkpoint.Change) {
	s.made++
	to := &picture{head: s.text(fmt.Sprint("head ", s.made)), streams: map[string]string{}}
	c := &checkpoint.Change{Head: []byte(to.head), Whole: whole}
	var list []checkpoint.Stream
	if from != nil {
		to.streams = maps.Clone(from.streams)
	}
	for _, name := range streamNames {
		switch s.rng.IntN(6) {
		case 0:
			if !whole {
				list = append(list, checkpoint.Stream{Name: name})
			}
			delete(to.streams, name)
		case 1, 2:
			to.streams[name] = s.text(fmt.Sprint(s.made))
			if !whole {
				list = append(list, checkpoint.Stream{Name: name, State: []byte(to.streams[name])})
			}
		}
	}
	if whole {
		for name, state := range to.streams {
			list = append(list, checkpoint.Stream{Name: name, State: []byte(state)})
		}
	}
	c.Streams = slices.Values(list)
	return to, c
}

// text is now and then longer than a chunk, or nothing.
func (s *saver) text(begin string) string {
	switch s.rng.IntN(4) {
	case 0:
		return strings.Repeat(begin+" ", 1+s.rng.IntN(2000))
	case 1:
		return ""
	}
	return begin
}
