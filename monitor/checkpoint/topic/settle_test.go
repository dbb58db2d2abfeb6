package topic

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tracecheck/ingest/kafka"
)

// Monitors that begin at the same moment each say how many partitions are used,
// and one of them later than the other has begun to write.
func TestSettledAtOnce(t *testing.T) {
	m := newMemory(2)
	s := m.store(t)
	said := slices.Clone(m.logs[0])
	maker := saver{rng: rand.New(rand.NewPCG(6, 6))}
	p, _ := openPart(t, s, "p/0")
	want, c := maker.next(nil, true)
	if err := p.Save(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	m.append(0, []message{{said[0].Key, said[0].Value}})
	if err := p.Save(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		m.compact(maker.rng)
	}
	if k, _ := readKey(m.logs[0][0].Key); k.kind == layout {
		t.Fatal("the test shows nothing: the first record is still there")
	}
	if _, got := openPart(t, m.store(t), "p/0"); !got.equal(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	m.logs[0] = slices.DeleteFunc(m.logs[0], func(m kafka.Message) bool { return bytes.Equal(m.Key, said[0].Key) })
	if err := s.settle(t.Context(), 2); err == nil || !strings.Contains(err.Error(), "its first record is missing") {
		t.Errorf("got %v", err)
	}
}
