package raftlog

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/moby/swarmkit/v2/api"
	"github.com/moby/swarmkit/v2/manager/encryption"
	"go.etcd.io/etcd/raft/v3/raftpb"
	"go.etcd.io/etcd/server/v3/etcdserver/api/snap/snappb"
	"go.etcd.io/etcd/server/v3/wal/walpb"

	"tracecheck/trace"
)

// checkTrace reads what was written: whole lines, each an event that goes on in seq.
func checkTrace(t *testing.T, text []byte) {
	t.Helper()
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		t.Errorf("the last line has no end: %q", text)
	}
	next := int64(1)
	for line := range bytes.Lines(text) {
		var d trace.Decoder
		var ev trace.Event
		if err := d.Decode(bytes.TrimSuffix(line, []byte("\n")), trace.Pos{}, &ev); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if ev.HasSeq {
			if ev.Seq != next {
				t.Errorf("%q: seq is not %d", line, next)
			}
			next++
		}
	}
}

// FuzzDirectory: whatever a segment and a snapshot hold, the import ends, with
// lines that are events or an error that states where.
func FuzzDirectory(f *testing.F) {
	m := newManager(f)
	m.commit(create(cluster(5)))
	m.commit(create(node("n1", api.NodeStatus_READY, 1)))
	m.snapshot(existing(), false)
	m.commit(update(node("n1", api.NodeStatus_DOWN, 2)), create(service("s", 1, 3)))
	m.propose(remove(node("n1", api.NodeStatus_DOWN, 2)))
	m.stop()
	segment := m.segments()[0]
	snapshots, err := filepath.Glob(filepath.Join(m.dir, "raft", "snap-v3-encrypted", "*.snap"))
	m.must(err)
	read := func(path string) []byte {
		data, err := os.ReadFile(path)
		m.must(err)
		return data
	}
	log, snapshot := used(read(segment)), read(snapshots[0])
	for _, other := range m.segments()[1:] {
		m.must(os.Remove(other))
	}
	for _, sums := range []bool{false, true} {
		f.Add(log, snapshot, sums)
		f.Add(log, []byte{}, sums)
		f.Add(log[:len(log)/2], snapshot, sums)
	}
	for _, index := range []uint64{0, 1, 3, math.MaxUint64 - 1, math.MaxUint64} {
		entry := framed(f, recordEntry, &raftpb.Entry{Index: index, Term: 2})
		after := framed(f, recordEntry, &raftpb.Entry{Index: index + 1, Term: 2})
		commit := framed(f, recordState, &raftpb.HardState{Commit: index})
		mark := framed(f, recordSnapshot, &walpb.Snapshot{Index: index, Term: 2})
		f.Add(slices.Concat(entry, after, commit), snapshot, true)
		f.Add(slices.Concat(mark, entry, commit, after), []byte{}, true)
		f.Add(slices.Concat(log, mark, commit, entry), snapshot, true)
		f.Add(slices.Concat(log, entry, mark, commit), []byte{}, true)
	}
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\x80"), []byte("\x12\xff\xff\xff\xff\x07"), false)
	f.Fuzz(func(t *testing.T, log, snapshot []byte, sums bool) {
		if sums { // else the checksums keep all else out
			log, snapshot = resummed(log), resummedSnapshot(snapshot)
		}
		m := *m
		m.t = t
		m.must(os.WriteFile(segment, log, 0o600))
		m.must(os.WriteFile(snapshots[0], snapshot, 0o600))
		for _, opts := range []Options{{}, {FromStart: true}} {
			text, l, err := m.read(opts)
			if err != nil && !strings.Contains(err.Error(), m.dir) && !strings.Contains(err.Error(), "entr") {
				t.Errorf("an error without its place: %v", err)
			}
			if l != nil {
				checkTrace(t, []byte(text))
			}
		}
	})
}

// framed is a record of a segment, without its checksum.
func framed(t testing.TB, kind int64, content interface{ Marshal() ([]byte, error) }) []byte {
	t.Helper()
	data, err := content.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return frame(nil, &walpb.Record{Type: kind, Data: data}, 0)
}

// resummed has the right checksums in each frame that can be read.
func resummed(log []byte) (out []byte) {
	var sum uint32
	for len(log) >= 8 {
		head := binary.LittleEndian.Uint64(log)
		length, padding := int64(head&(1<<56-1)), int64(0)
		if head>>63 == 1 {
			padding = int64(head >> 56 & 7)
		}
		var rec walpb.Record
		if length+padding > int64(len(log)-8) || rec.Unmarshal(log[8:8+length]) != nil {
			break
		}
		if sum = crc32.Update(sum, castagnoli, rec.Data); rec.Type == recordCRC {
			sum = rec.Crc
		}
		out = frame(out, &rec, sum)
		log = log[8+length+padding:]
	}
	return append(out, log...)
}

// frame appends a record as a segment has it.
func frame(out []byte, rec *walpb.Record, sum uint32) []byte {
	rec.Crc = sum
	data, err := rec.Marshal()
	if err != nil {
		panic(err)
	}
	head := uint64(len(data))
	padding := -len(data) & 7
	if padding > 0 {
		head |= uint64(0x80|padding) << 56
	}
	out = binary.LittleEndian.AppendUint64(out, head)
	return append(append(out, data...), make([]byte, padding)...)
}

func resummedSnapshot(data []byte) []byte {
	var s snappb.Snapshot
	if s.Unmarshal(data) != nil {
		return data
	}
	s.Crc = crc32.Checksum(s.Data, castagnoli)
	if out, err := s.Marshal(); err == nil {
		return out
	}
	return data
}

// FuzzObjects: whatever the managers stored, a snapshot and two entries of it
// become lines that are events, or an error that states which entry.
func FuzzObjects(f *testing.F) {
	marshal := func(m interface{ Marshal() ([]byte, error) }) []byte {
		data, err := m.Marshal()
		if err != nil {
			f.Fatal(err)
		}
		return data
	}
	store := existing()
	request := func(actions ...api.StoreAction) []byte { return marshal(&api.InternalRaftRequest{Action: actions}) }
	f.Add(marshal(&store), request(create(task("t2", "web", 1, api.TaskStateNew, 4)), update(node("n1", api.NodeStatus_DOWN, 5))), request(remove(service("web", 1, 3))))
	f.Add([]byte{}, request(create(node("n\xff", api.NodeStatus_READY, 1))), request(create(cluster(-1)), create(service("s", 1<<63, -62135596801))))
	f.Add([]byte{}, request(create(full("s", api.ServiceSpec{Mode: &api.ServiceSpec_GlobalJob{GlobalJob: &api.GlobalJob{}}}))), request(create(node("", api.NodeStatus_READY, 1<<60))))
	encrypter, decrypter := encryption.Defaults([]byte("0123456789abcdef0123456789abcdef"), false)
	f.Fuzz(func(t *testing.T, base, first, second []byte) {
		l := &Log{decrypter: decrypter, base: &api.StoreSnapshot{}}
		if l.base.Unmarshal(base) != nil {
			return
		}
		for i, plain := range [][]byte{first, second} {
			data, err := encryption.Encrypt(plain, encrypter)
			if err != nil {
				t.Fatal(err)
			}
			l.entries = append(l.entries, raftpb.Entry{Index: uint64(i) + 1, Term: 1, Data: data})
		}
		var b bytes.Buffer
		sum, err := l.Write(&b)
		if err != nil && !strings.Contains(err.Error(), "entry ") && !strings.Contains(err.Error(), "cannot write") {
			t.Errorf("an error without its place: %v", err)
		}
		if lines := bytes.Count(b.Bytes(), []byte(`"seq":`)); lines < sum.Lines {
			t.Errorf("%d lines are written, and %d counted", lines, sum.Lines)
		}
		checkTrace(t, b.Bytes())
	})
}

// A segment that states that a record is larger than the file has no such room made
// for it.
func TestHostileLength(t *testing.T) {
	path := filepath.Join(t.TempDir(), "0.wal")
	for _, head := range []uint64{1 << 40, 1<<56 - 1, 1<<63 | 1<<40} {
		if err := os.WriteFile(path, binary.LittleEndian.AppendUint64(nil, head), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := openSegment(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.next(); err == nil || err == io.EOF || !strings.HasPrefix(err.Error(), path+", byte 0: ") {
			t.Errorf("%#x: got %v", head, err)
		}
		s.close()
	}
}
