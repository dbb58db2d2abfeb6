package raftlog

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/moby/swarmkit/v2/api"
)

// long makes a log of several segments: cluster, node, and n updates of it.
func long(t *testing.T, n int) *manager {
	t.Helper()
	m := newManager(t)
	m.commit(create(cluster(5)))
	m.commit(create(node("n1", api.NodeStatus_READY, 0)))
	for i := range n {
		m.commit(update(node("n1", state(i), int64(i))))
	}
	if len(m.segments()) < 2 {
		t.Fatalf("%d segments: make the log longer", len(m.segments()))
	}
	return m
}

func state(i int) api.NodeStatus_State { return api.NodeStatus_State(i % 3) }

// change rewrites a file.
func (m *manager) change(path string, how func([]byte) []byte) {
	m.t.Helper()
	data, err := os.ReadFile(path)
	m.must(err)
	m.must(os.WriteFile(path, how(data), 0o600))
}

// used is the file without the empty space at its end.
func used(data []byte) []byte { return bytes.TrimRight(data, "\x00") }

// wantPart wants an error, and everything before it.
func wantPart(t *testing.T, whole, text string, err error, part string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("error %v, want %s", err, part)
	}
	if text == "" || len(text) >= len(whole) || !strings.HasPrefix(whole, text) {
		t.Errorf("of %d bytes, %d were written", len(whole), len(text))
	}
}

func TestCutShort(t *testing.T) {
	m := long(t, 100)
	whole := m.mustRead(Options{})
	all := m.segments()
	last := all[len(all)-1]
	m.change(last, func(b []byte) []byte { return used(b)[:len(used(b))-10] })
	text, _, err := m.read(Options{})
	wantPart(t, whole, text, err, "the file ends within a record")
	m.must(os.Remove(last))
	text, _, err = m.read(Options{})
	m.must(err) // nothing shows that there was more
	if !strings.HasPrefix(whole, text) {
		t.Error(text)
	}
}

// TestTorn: a crash leaves sectors of the last write empty. An Engine repairs
// that by itself.
func TestTorn(t *testing.T) {
	m := newManager(t)
	m.commit(create(cluster(5)))
	m.commit(create(node("n1", api.NodeStatus_READY, 0)))
	big := node("n2", api.NodeStatus_READY, 0)
	big.Description = &api.NodeDescription{Hostname: strings.Repeat("x", 3000)}
	m.propose(create(big))
	m.stop()
	text, _, err := m.read(Options{})
	m.must(err)
	all := m.segments()
	m.change(all[len(all)-1], func(b []byte) []byte {
		end := len(used(b)) &^ (sector - 1)
		clear(b[end-2*sector:])
		return b
	})
	torn, l, err := m.read(Options{})
	m.must(err)
	compare(t, torn, text)
	wantNote(t, l, "the last write is incomplete, and is left out")

	m.change(all[len(all)-1], func(b []byte) []byte { b[len(b)-1] = 1; return b })
	if torn, _, err = m.read(Options{}); err == nil || torn != text {
		t.Errorf("with more after it: %v, %s", err, torn)
	}
}

// TestLostSectors: where more follows, it was no crash.
func TestLostSectors(t *testing.T) {
	big := node("n2", api.NodeStatus_READY, 0)
	big.Description = &api.NodeDescription{Hostname: strings.Repeat("x", 3000)}
	for _, before := range []int{0, 10} { // the big record is within the segment, or its last
		m := newManager(t)
		m.commit(create(cluster(5)))
		m.commit(create(node("n1", api.NodeStatus_READY, 0)))
		for i := range 50 {
			if i == before {
				m.commit(create(big))
			}
			m.commit(update(node("n1", state(i), int64(i))))
		}
		whole := m.mustRead(Options{})
		first, second := m.segments()[0], m.segments()[1]
		at := m.records(first)
		size := at[len(at)-1] // without the last record
		at = at[:len(at)-1]
		broken := func(part string, how func([]byte) []byte) {
			t.Helper()
			before, err := os.ReadFile(first)
			m.must(err)
			m.change(first, how)
			text, _, err := m.read(Options{})
			wantPart(t, whole, text, err, part)
			m.must(os.WriteFile(first, before, 0o600))
		}
		broken("no record begins here", func(b []byte) []byte { clear(b[at[6]:][:sector]); return b })
		broken("does not match its checksum", func(b []byte) []byte { clear(b[4*sector:][:sector]); return b })
		if before > 0 {
			broken("does not match its checksum", func(b []byte) []byte { clear(b[4*sector:]); return b })
		}
		broken("records are missing before "+second, func(b []byte) []byte { return b[:size] })
	}
}

// records are where the file's records begin.
func (m *manager) records(path string) []int64 {
	m.t.Helper()
	s, err := openSegment(path)
	m.must(err)
	defer s.close()
	var all []int64
	for {
		at := s.at
		rec, err := s.next()
		if err != nil {
			return all
		}
		if rec.Type == recordCRC {
			s.sum = rec.Crc
		}
		all = append(all, at)
	}
}

func TestDamage(t *testing.T) {
	m := long(t, 100)
	m.snapshot(api.StoreSnapshot{Clusters: []*api.Cluster{cluster(5)}, Nodes: []*api.Node{node("n1", state(99), 99)}}, false)
	for i := range 30 {
		m.commit(update(node("n1", state(i), int64(100+i))))
	}
	newest, fromStart := m.mustRead(Options{}), m.mustRead(Options{FromStart: true})
	second := m.segments()[1]
	m.change(second, func(b []byte) []byte { b[2000] ^= 1; return b })

	// What comes before the newest snapshot does not matter.
	text, _, err := m.read(Options{})
	m.must(err)
	compare(t, text, newest)
	text, l, err := m.read(Options{FromStart: true})
	m.must(err)
	compare(t, text, newest)
	wantNote(t, l, "an older part of the log is left out: "+second)

	m.must(os.RemoveAll(filepath.Join(m.dir, "raft", "snap-v3-encrypted")))
	text, _, err = m.read(Options{})
	wantPart(t, fromStart, text, err, second)

	m.must(os.Remove(second))
	text, _, err = m.read(Options{})
	wantPart(t, fromStart, text, err, "segments are missing before "+filepath.Base(m.segments()[1]))
}

// steps are the lines but the first: without a cluster it states no limit.
func steps(trace string) string {
	_, rest, _ := strings.Cut(trace, "\n")
	return rest
}

// TestDamageAnywhere: whatever bytes are wrong, what is written is a beginning of
// the truth, and what is missing is never passed over in silence.
func TestDamageAnywhere(t *testing.T) {
	m := long(t, 60)
	whole := m.mustRead(Options{})
	r := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		path := m.segments()[r.IntN(len(m.segments()))]
		before, err := os.ReadFile(path)
		m.must(err)
		at := r.IntN(len(used(before)))
		length := 1 + r.IntN(40)
		m.change(path, func(b []byte) []byte {
			for i := at; i < min(at+length, len(b)); i++ {
				b[i] = byte(r.Uint32())
			}
			return b
		})
		text, l, err := m.read(Options{})
		if !strings.HasPrefix(steps(whole), steps(text)) {
			t.Fatalf("%s, %d bytes at %d: the output is\n%s", path, length, at, text)
		}
		if err == nil && text != whole && len(l.Notes()) == 0 {
			t.Errorf("%s, %d bytes at %d: it is not reported", path, length, at)
		}
		m.must(os.WriteFile(path, before, 0o600))
	}
}
