package ingest

import (
	"bytes"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// BenchmarkReader reads half a million usual lines from memory.
func BenchmarkReader(b *testing.B) {
	const n = 500_000
	data := updates(n)
	var gz, zs bytes.Buffer
	gw := gzip.NewWriter(&gz)
	gw.Write(data)
	gw.Close()
	zw, err := zstd.NewWriter(&zs)
	if err != nil {
		b.Fatal(err)
	}
	zw.Write(data)
	zw.Close()
	for _, c := range []struct {
		name string
		data []byte
	}{{"plain", data}, {"gzip", gz.Bytes()}, {"zstd", zs.Bytes()}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(data))) // of the lines, compressed or not
			b.ReportAllocs()
			for b.Loop() {
				r := open(b, bytes.NewReader(c.data), 0, stdinName)
				events := 0
				eachBlock(b, r, func(block *Block) { events += len(block.Events) })
				r.Close()
				if events != n {
					b.Fatalf("%d events, want %d", events, n)
				}
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// BenchmarkFirstEvent is how long a short trace takes from Open to its end.
func BenchmarkFirstEvent(b *testing.B) {
	data := []byte(node("a") + "\n")
	for b.Loop() {
		r := open(b, bytes.NewReader(data), 0, stdinName)
		if _, err := r.Next(b.Context()); err != nil {
			b.Fatal(err)
		}
		r.Close()
	}
}
