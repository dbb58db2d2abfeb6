package topic

import (
	"bytes"
	"testing"
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
