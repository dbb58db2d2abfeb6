package kafka

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"tracecheck/ingest"
	"tracecheck/ingest/kafka/kafkatest"
)

// BenchmarkDrain reads events from a cluster in this process, whose own work is
// in the figures, and reports how many times as long it takes as to read the
// same events from a file.
func BenchmarkDrain(b *testing.B) {
	const events = 200_000
	var text bytes.Buffer
	var lines []string
	for n := range events {
		line := fmt.Sprintf(`{"stream":"a","seq":%d,"time":"2026-11-20T10:00:00.123Z","tx":"%d","kind":"task","op":"update","id":"t%d","actor":"allocator","object":{"state":"pending","desired_state":"running"}}`, n, n, n%1000)
		fmt.Fprintln(&text, line)
		lines = append(lines, line)
	}
	file := filepath.Join(b.TempDir(), "events.jsonl")
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	for name, codec := range map[string]kgo.CompressionCodec{"none": kgo.NoCompression(), "lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression()} {
		b.Run(name, func(b *testing.B) {
			c := cluster(b, 1)
			var list []*kgo.Record
			for _, line := range lines {
				list = append(list, kafkatest.Message("t", 0, "a", line))
			}
			kafkatest.Produce(b, kafkatest.Client(b, c.ListenAddrs(), kgo.ProducerBatchCompression(codec), kgo.MaxBufferedRecords(events)), list...)
			s := open(b, Options{Brokers: c.ListenAddrs(), Topics: []string{"t"}, pace: defaultPace})
			all := spans(b, s)
			b.SetBytes(int64(text.Len()))
			b.ReportAllocs()
			var fromFile, fromKafka time.Duration
			for b.Loop() {
				began := time.Now()
				n := 0
				if err := s.Drain(context.Background(), all, func(b *Batch) error { n += len(b.Events); return nil }); err != nil || n != events {
					b.Fatalf("%d events, error %v", n, err)
				}
				fromKafka += time.Since(began)
				b.StopTimer()
				began = time.Now()
				if n := readFile(b, file); n != events {
					b.Fatalf("%d events of the file", n)
				}
				fromFile += time.Since(began)
				b.StartTimer()
			}
			b.ReportMetric(float64(fromKafka)/float64(fromFile), "x-file")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*events), "ns/event")
		})
	}
}

func readFile(b *testing.B, name string) (events int) {
	r, err := ingest.Open([]string{name}, ingest.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	for {
		block, err := r.Next(context.Background())
		if err == io.EOF {
			return events
		}
		if err != nil {
			b.Fatal(err)
		}
		events += len(block.Events)
		block.Release()
	}
}
