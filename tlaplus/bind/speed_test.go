package bind

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"tracecheck/internal/generate"
	"tracecheck/tlaplus/eval"
	"tracecheck/trace"
	"tracecheck/validators"
)

// BenchmarkKeyValueStore judges a log of 100,000 lines that have the event, its arguments
// and the updates: with all short cuts, and without one of them each. It reports the
// processor time of one run.
func BenchmarkKeyValueStore(b *testing.B) {
	material := os.Getenv("TRACECHECK_TLA")
	if material == "" {
		b.Skip("TRACECHECK_TLA does not name the folder of the TLA+ material")
	}
	const lines = 100_000
	dir := filepath.Join(material, "traces/keyvaluestore")
	header := filepath.Join(dir, "conf.10-20-5.ndjson")
	text, err := os.ReadFile(header)
	if err != nil {
		b.Fatal(err)
	}
	log := storeLog(text, lines)
	for _, c := range []struct {
		name    string
		without eval.Shortcuts
	}{
		{"all", 0}, {"none", ^eval.Shortcuts(0)},
		{"no-settled", eval.Settled}, {"no-members", eval.Members}, {"no-paths", eval.Paths},
		{"no-wide", eval.Wide}, {"no-exchanges", eval.Exchanges}, {"no-additions", eval.Additions}, {"no-small", eval.Small}, {"no-sets", eval.Sets},
		{"no-indexes", eval.Indexes}, {"no-keeps", eval.Keeps}, {"no-narrows", eval.Narrows}, {"no-comparisons", eval.Comparisons},
	} {
		b.Run(c.name, func(b *testing.B) {
			bind := example(b, "keyvaluestore", dir, header, Options{Without: c.without})
			judgeConforming(b, bind, log)
		})
	}
}

// BenchmarkEtcdRaft judges the example log of etcd-raft, of 4,888 lines, with eight invariants.
func BenchmarkEtcdRaft(b *testing.B) {
	material := os.Getenv("TRACECHECK_TLA")
	if material == "" {
		b.Skip("TRACECHECK_TLA does not name the folder of the TLA+ material")
	}
	dir := filepath.Join(material, "traces/etcd-raft")
	log, err := os.ReadFile(filepath.Join(dir, "logs/example.ndjson"))
	if err != nil {
		b.Fatal(err)
	}
	judgeConforming(b, example(b, "etcd-raft", dir, "", Options{}), string(log))
}

// judgeConforming measures the judging of a log that conforms. It reports the processor time
// of one run.
func judgeConforming(b *testing.B, bind *Bind, log string) {
	list := events(b, bind, log)
	b.ReportAllocs()
	at := processorTime(b)
	for b.Loop() {
		r, err := validators.NewRunner(validators.Options{Specs: []*validators.Spec{bind.Spec}})
		if err != nil {
			b.Fatal(err)
		}
		if err := r.Push(list); err != nil {
			b.Fatal(err)
		}
		if got := r.Finish(); got.Verdict != validators.Conforming || got.Events != len(list) {
			b.Fatalf("%+v", got)
		}
	}
	b.ReportMetric((processorTime(b)-at)/float64(b.N), "cpu-s/op")
}

// BenchmarkSwarmKit judges generated traces that begin with snapshots of so many tasks. It
// reports the processor time of a line after these, in microseconds.
func BenchmarkSwarmKit(b *testing.B) {
	material := os.Getenv("TRACECHECK_TLA")
	if material == "" {
		b.Skip("TRACECHECK_TLA does not name the folder of the TLA+ material")
	}
	const lines = 1000
	for _, tasks := range []int{20, 100, 1000, 10_000} {
		b.Run(fmt.Sprint(tasks), func(b *testing.B) {
			bind := example(b, "swarmkit", filepath.Join(material, "seeds/swarmkit"), "", Options{})
			var text bytes.Buffer
			o := generate.Options{Specs: []string{"swarmkit"}, Events: int64(tasks + tasks/10 + lines), Streams: 1, Objects: tasks, Snapshot: true, Interval: time.Millisecond}
			if _, err := generate.Run(b.Context(), o, &text); err != nil {
				b.Fatal(err)
			}
			var first, list []trace.Event
			var d trace.Decoder
			for i, line := range strings.Split(strings.TrimSpace(text.String()), "\n") {
				var ev trace.Event
				if err := d.Decode([]byte(line), trace.Pos{File: "log", Line: i + 1}, &ev); err != nil {
					b.Fatal(err)
				}
				if ev.Kind == trace.KindMeta || ev.Op == trace.OpSnapshot {
					first = append(first, ev)
				} else {
					list = append(list, ev)
				}
			}
			first, list = append(first, list[:2]...), list[2:] // the steps after them show the rest
			took, lasted := 0.0, time.Duration(0)
			for b.Loop() {
				r, err := validators.NewRunner(validators.Options{Specs: []*validators.Spec{bind.Spec}})
				if err != nil {
					b.Fatal(err)
				}
				if err := r.Push(first); err != nil {
					b.Fatal(err)
				}
				at, began := processorTime(b), time.Now()
				if err := r.Push(list); err != nil {
					b.Fatal(err)
				}
				got := r.Finish()
				lasted += time.Since(began)
				if took += processorTime(b) - at; got.Verdict != validators.Conforming {
					b.Fatalf("%+v", got)
				}
			}
			b.ReportMetric(took/float64(b.N*len(list))*1e6, "cpu-µs/line")
			b.ReportMetric(float64(lasted.Microseconds())/float64(b.N*len(list)), "µs/line")
		})
	}
}

// processorTime is the process's, in seconds.
func processorTime(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}

// storeLog is a log of KeyValueStore: a random walk, with a header's keys, values and
// transactions.
func storeLog(header []byte, lines int) string {
	var of struct {
		Key  []int
		Val  []string
		TxId []string
	}
	_ = json.Unmarshal(header, &of)
	const none = "null"
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(n int) int { return random.IntN(n) }
	store := make([]string, len(of.Key))
	for i := range store {
		store[i] = none
	}
	empty := slices.Clone(store)
	type transaction struct {
		id              string
		snapshot        []string
		written, missed map[int]bool
	}
	var open []*transaction
	closed := slices.Clone(of.TxId)
	type update map[string]any
	one := func(op string, path any, args ...any) []update {
		return []update{{"op": op, "path": path, "args": append([]any{}, args...)}}
	}
	var text strings.Builder
	for range lines {
		line := map[string]any{}
		event := func(name string, args ...any) { line["event"], line["event_args"] = name, args }
		switch what := pick(100); {
		case len(open) == 0 || what < 12 && len(closed) > 0:
			i := pick(len(closed))
			t := &transaction{closed[i], slices.Clone(store), map[int]bool{}, map[int]bool{}}
			open, closed = append(open, t), slices.Delete(closed, i, i+1)
			event("OpenTx", t.id)
			line["tx"] = one("AddElement", []any{}, t.id)
		case what < 85:
			t, k := open[pick(len(open))], pick(len(of.Key))
			was, to := t.snapshot[k], of.Val[pick(len(of.Val))]
			switch {
			case was == none:
				event("Add", t.id, of.Key[k], to)
			case was == to || pick(4) == 0:
				to = none
				event("Remove", t.id, of.Key[k])
			default:
				event("Update", t.id, of.Key[k], to)
			}
			t.snapshot[k], t.written[k] = to, true
			line["written"] = one("AddElement", []string{t.id}, of.Key[k])
			if to != none {
				line["snapshotStore"] = one("SetKey", []string{t.id}, of.Key[k], to)
			}
		default:
			i := pick(len(open))
			t := open[i]
			open, closed = slices.Delete(open, i, i+1), append(closed, t.id)
			line["tx"], line["written"] = one("RemoveElement", []any{}, t.id), one("Clear", []string{t.id})
			line["snapshotStore"] = one("InitRec", []string{t.id})
			conflict := false
			for k := range t.written {
				conflict = conflict || t.missed[k]
			}
			if conflict {
				event("RollbackTx", t.id)
				break
			}
			event("CloseTx", t.id)
			var merged []update
			for k := range empty {
				if t.written[k] {
					store[k] = t.snapshot[k]
					merged = append(merged, one("SetKey", []any{}, of.Key[k], store[k])...)
					for _, other := range open {
						other.missed[k] = true
					}
				}
			}
			if merged != nil {
				line["store"] = merged
			}
		}
		encoded, _ := json.Marshal(line)
		fmt.Fprintf(&text, "%s\n", encoded)
	}
	return text.String()
}
