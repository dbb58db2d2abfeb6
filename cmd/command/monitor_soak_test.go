//go:build linux

package command

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"tracecheck/ingest/kafka/kafkatest"
	"tracecheck/internal/generate"
)

// TestRealMonitorSoak judges 10,000 streams at full speed, as long as
// TRACECHECK_SOAK states. Meanwhile it is killed again and again, the broker is, a
// transaction is left open, and the receiver of alerts takes nothing. What the
// monitor states of its health is held against the truth all the while, and its
// alerts, in the end, against one undisturbed validate. Then the topic is created
// again.
func TestRealMonitorSoak(t *testing.T) {
	brokers := kafkatest.Real(t)
	text := os.Getenv("TRACECHECK_SOAK")
	if text == "" {
		t.Skip("TRACECHECK_SOAK names no duration")
	}
	length, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	const streams, mostPending = 10_000, 30
	r := newRig(t, brokers, 8)
	s := &soak{rig: r, truth: newTruth(r, mostPending), judged: make([]atomic.Int64, r.partitions), end: time.Now().Add(length), hook: newHook(t)}
	produced := make(chan error, 1)
	go func() { produced <- s.produce(streams) }()
	began := time.Now()
	s.flags = []string{"--checkpoint", filepath.Join(r.dir, "state"), "--checkpoint-every", "10s", "--spec", "swarmkit",
		"--webhook", s.hook.URL, "--max-pending", fmt.Sprint(mostPending)}
	every := min(30*time.Second, length/20)
	p := r.start(s.flags...)
	for n := 0; time.Now().Before(s.end); n++ {
		s.watch(p, every)
		if time.Now().Before(s.end) {
			p = s.again(p)
			s.watch(p, every)
			p = []func(*process) *process{s.killBroker, s.leaveOpen, s.breakReceiver}[n%3](p)
		}
	}
	if err := <-produced; err != nil {
		t.Fatalf("cannot produce: %v", err)
	}
	took := time.Since(began)
	var judged int64
	for i := range s.judged {
		judged += s.judged[i].Load()
		r.ends[i] += s.marks[i]
	}
	r.caughtUp(p)
	s.until(p, "all alerts are taken", func() bool {
		metrics, err := p.metrics()
		return err == nil && pendingFor(metrics, "webhook") == 0 && pendingFor(metrics, "file") == 0
	})
	r.stop(p)
	fmt.Printf("soak: %d streams, %s; the monitor was killed %d times, the broker %d times, %d transactions were left open, the receiver was broken %d times: %d events judged in that time, %.0f a second; what was judged again after a kill is not counted\n",
		streams, took.Round(time.Second), s.kills, s.brokerKills, s.transactions, s.breaks, judged, float64(judged)/took.Seconds())
	fmt.Printf("soak: of the checkpoints of each partition, %d seen: judging waited %.0f ms at most, writing took %.0f ms at most, %.1f MB at most; peak memory %d MB\n",
		s.checkpoints, 1000*s.pause, 1000*s.took, s.bytes/1e6, s.peak>>20)
	fmt.Printf("soak: %s\n", s.truth.figures())
	r.same("--spec", "swarmkit")
	s.hook.same(r)
	s.createAgain()
}

// soak is what is seen of a run.
type soak struct {
	*rig
	truth  *truth
	hook   *hook
	flags  []string
	end    time.Time
	judged []atomic.Int64 // up to where, by partition
	sent   atomic.Int64   // events

	marks                                    [8]int64 // offsets that are no events, by partition
	kills, brokerKills, transactions, breaks int

	checkpoints int
	last        string  // the time of the first part's latest
	pause, took float64 // seconds, at most
	bytes       float64 // at most
	peak        int64   // bytes of memory, at most
}

// ahead is how many events the topic may be ahead of the judging: it is never
// idle, and the disk is not filled for nothing.
const ahead = 300_000

// produce fills the topic until the end.
func (s *soak) produce(streams int) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(s.brokers...), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerBatchCompression(kgo.Lz4Compression()), kgo.ProducerLinger(20*time.Millisecond), kgo.MaxBufferedRecords(200_000),
		kgo.UnknownTopicRetries(-1))
	if err != nil {
		return err
	}
	defer client.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	lines, out := io.Pipe()
	defer lines.Close() // which ends the generator
	go func() {
		_, err := generate.Run(ctx, generate.Options{
			Specs: []string{"swarmkit"}, Events: 1 << 40, Seed: 66, Streams: streams, Objects: 5,
			Start: time.Date(2026, 11, 20, 3, 0, 0, 0, time.UTC), Interval: 10 * time.Microsecond,
		}, out)
		out.CloseWithError(err)
	}()
	r := rand.New(rand.NewPCG(66, 1))
	scan := bufio.NewScanner(lines)
	var failed atomic.Pointer[error]
	send := func(stream, line []byte) {
		partition := int(stream[len(stream)-1]) % s.partitions
		client.Produce(ctx, &kgo.Record{Topic: s.topic, Partition: int32(partition), Key: bytes.Clone(stream), Value: bytes.Clone(line)},
			func(_ *kgo.Record, err error) {
				if err != nil {
					failed.Store(&err)
				}
			})
		s.ends[partition]++
		s.sent.Add(1)
	}
	metas := map[string][]byte{} // of the streams
	for n := 0; scan.Scan() && time.Now().Before(s.end); n++ {
		line := seqField.ReplaceAll(scan.Bytes(), nil) // it would be a gap
		stream := streamIn.FindSubmatch(line)[1]
		switch {
		case bytes.Contains(line, []byte(`"kind":"meta"`)):
			metas[string(stream)] = bytes.Clone(line)
		case r.IntN(20_000) == 0:
			continue // which breaks what its stream does
		}
		send(stream, line)
		for n%1000 == 0 && s.sent.Load()-s.all() > ahead && time.Now().Before(s.end) {
			time.Sleep(10 * time.Millisecond)
		}
	}
	for stream, line := range metas {
		send([]byte(stream), line) // once more: no transaction is left open, which a monitor would wait for
	}
	if err := client.Flush(ctx); err != nil {
		return err
	}
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

var (
	seqField = regexp.MustCompile(`"seq":\d+,`)
	streamIn = regexp.MustCompile(`"stream":"([^"]*)"`)
)

func (s *soak) all() (n int64) {
	for i := range s.judged {
		n += s.judged[i].Load()
	}
	return n
}

// watch looks at the process for so long.
func (s *soak) watch(p *process, length time.Duration) {
	for end := time.Now().Add(length); time.Now().Before(end) && time.Now().Before(s.end); time.Sleep(500 * time.Millisecond) {
		s.lookAt(p)
	}
}

// lookAt looks at a process that must not end.
func (s *soak) lookAt(p *process) {
	s.look(p)
	s.truth.check(p)
	select {
	case err := <-p.ended:
		s.t.Fatalf("%s ended: %v\n%s", p.name, err, p.stderr.String())
	default:
	}
}

func (s *soak) look(p *process) {
	if o, err := p.overview(); err == nil {
		for i, part := range o.Parts {
			var partition int
			fmt.Sscanf(part.Name, "kafka:"+s.topic+"/%d", &partition)
			if at, err := strconv.ParseInt(part.Position, 10, 64); err == nil {
				s.judged[partition].Store(max(at, s.judged[partition].Load()))
			}
			s.pause, s.took, s.bytes = max(s.pause, part.Pause), max(s.took, part.Took), max(s.bytes, part.Bytes)
			if i == 0 && part.Checkpoint > s.last {
				s.last = part.Checkpoint
				s.checkpoints++
			}
		}
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if m := highWater.FindSubmatch(status); err == nil && m != nil {
		kb, _ := strconv.ParseInt(string(m[1]), 10, 64)
		s.peak = max(s.peak, kb<<10)
	}
}

var highWater = regexp.MustCompile(`VmHWM:\s*(\d+) kB`)
