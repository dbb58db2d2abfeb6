package topic

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"go.uber.org/zap"
)

// No records make the reading panic, and what is read as a key is written as
// the same bytes.
func FuzzRecords(f *testing.F) {
	at := space{3, "owner"}
	states := []key{
		{kind: state, part: "p", space: at, stream: "s"}, {kind: state, part: "p", space: at, stream: "s", slot: 1, chunk: 2},
		{kind: named, part: "p", space: at, stream: "sum"}, {kind: top, part: "p", space: at},
	}
	for _, k := range states {
		m := key{kind: commit, part: "p", space: at}
		f.Add(k.bytes(), (&chunk{n: 1, of: 1, data: []byte("state")}).seal(k.bytes()), (&mark{n: 2, streams: 1}).seal(m.bytes()))
		f.Add(k.bytes(), (&chunk{n: 9, of: 3}).seal(k.bytes()), (&mark{n: 2, streams: 1}).seal(m.bytes()))
	}
	f.Add([]byte("events"), []byte(`{"kind":"node"}`), []byte(nil))
	owned := key{kind: claim, part: "p", space: at}
	f.Add(owned.bytes(), []byte{}, []byte{1})
	f.Fuzz(func(t *testing.T, keyBytes, value, markBytes []byte) {
		r := newReplay("p")
		if k, err := readKey(keyBytes); err == nil && k.part == "p" {
			if again, err := readKey(k.bytes()); err != nil || again != k {
				t.Errorf("the key %+v is written as %+v: %v", k, again, err)
			}
			m := key{kind: commit, part: "p", space: k.space}
			_ = r.add(0, m.bytes(), markBytes)
		}
		for n, v := range [][]byte{value, nil, value, value} {
			if r.add(int64(n+1), keyBytes, v) != nil {
				break
			}
		}
		for _, c := range r.all() {
			if s, err := c.take(); err == nil && s.head == nil {
				t.Error("a checkpoint without a head")
			}
		}
		if one, err := readChunk(keyBytes, value); err == nil {
			again, err := readChunk(keyBytes, one.seal(keyBytes))
			if err != nil || again.n != one.n || again.of != one.of || !bytes.Equal(again.data, one.data) {
				t.Errorf("the chunk %+v is written as %+v: %v", one, again, err)
			}
		}
	})
}

// Of a topic in which records are changed, moved, deleted and doubled, a part has a
// checkpoint that it made, or there is an error: never a panic, or another part's
// state.
func FuzzLog(f *testing.F) {
	whole := newMemory(1)
	history := map[string][]*picture{}
	s := whole.store(f)
	for i, name := range []string{"events/0", "events/1"} {
		maker := saver{rng: rand.New(rand.NewPCG(9, uint64(i)))}
		p, at := openPart(f, s, name)
		history[name] = []*picture{nil}
		for n := range 4 {
			if n == 2 {
				p, at = openPart(f, s, name)
			}
			to, c := maker.next(at, p.Whole())
			if err := p.Save(f.Context(), c); err != nil {
				f.Fatal(err)
			}
			at = to
			history[name] = append(history[name], at)
		}
	}
	for i := range 12 {
		f.Add([]byte{byte(i), byte(7 * i), byte(i), byte(3 * i), byte(i + 1), 1, 0, 0})
	}
	f.Fuzz(func(t *testing.T, deeds []byte) {
		m := whole.copyOf()
		for ; len(deeds) >= 4 && len(m.logs[0]) > 0; deeds = deeds[4:] {
			log := m.logs[0]
			one, other := &log[int(deeds[1])%len(log)], log[int(deeds[2])%len(log)]
			switch deeds[0] % 6 {
			case 0:
				one.Key, one.Value = other.Key, other.Value
			case 1:
				one.Key = bytes.Clone(other.Key)
			case 2:
				one.Value = bytes.Clone(other.Value)
			case 3:
				m.append(0, []message{{other.Key, nil}})
			case 4:
				if n := len(one.Value); n > 0 {
					one.Value[int(deeds[2])%n] = deeds[3]
				}
			case 5:
				if n := len(one.Key); n > 0 {
					one.Key[int(deeds[2])%n] = deeds[3]
				}
			}
		}
		s := &Store{broker: m, topic: "state", chunk: 4 << 10, log: zap.NewNop()}
		if s.settle(t.Context(), 1) != nil {
			return
		}
		for name, made := range history {
			p, err := s.Open(t.Context(), name)
			if err != nil {
				continue
			}
			if got, err := loadPicture(p); err == nil && !slices.ContainsFunc(made, got.equal) {
				t.Errorf("%s: got %v, which was never saved", name, got)
			}
		}
	})
}
