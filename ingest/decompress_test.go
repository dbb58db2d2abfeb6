package ingest

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

func asIs(_ *testing.T, data []byte) []byte { return data }

// gzipBytes makes a member whose header has a file name, as gzip does.
func gzipBytes(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Name = "events.jsonl"
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// zstdBytes makes a frame with a checksum, as zstd does.
func zstdBytes(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, zstd.WithEncoderCRC(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var packers = []struct {
	name string
	pack func(*testing.T, []byte) []byte
}{{"gzip", gzipBytes}, {"zstd", zstdBytes}}

func TestCompressed(t *testing.T) {
	for _, p := range packers {
		t.Run(p.name, func(t *testing.T) {
			noLeak(t)
			text := "\uFEFF" + node("a") + "\r\n\n" + node("b")
			packed := p.pack(t, []byte(text))
			// The name states nothing, or the wrong thing.
			for _, name := range []string{"x.jsonl", "x.gz", "x.zst"} {
				got, err := drain(t, open(t, nil, 0, write(t, name, packed)))
				if err != nil {
					t.Fatal(err)
				}
				wantEvents(t, got, name+":1 a", name+":3 b")
			}
			got, err := drain(t, open(t, iotest.OneByteReader(bytes.NewReader(packed)), 0, stdinName))
			if err != nil {
				t.Fatal(err)
			}
			wantEvents(t, got, "1 a", "3 b")
			got, err = drain(t, open(t, bytes.NewReader(p.pack(t, nil)), 0, stdinName))
			if err != nil {
				t.Fatal(err)
			}
			wantEvents(t, got)
		})
	}
}

// Blocks of a compressed file are as large as those of other files, however little its library
// returns at once. A live input is not waited for: its lines are there as soon as they are read.
func TestCompressedBlocks(t *testing.T) {
	const large = 64 << 10 // gzip's library returns 32 kB at once
	var data []byte
	random := rand.NewChaCha8([32]byte{}) // so that the file is large, too
	for range 20_000 {
		var text [100]byte
		random.Read(text[:])
		data = fmt.Appendf(data, `{"kind":"node","op":"update","id":"n","object":{},"x":"%x"}`+"\n", text)
	}
	for _, p := range packers {
		packed := p.pack(t, data)
		small, blocks := 0, 0
		r := open(t, nil, 0, write(t, "x", packed))
		eachBlock(t, r, func(b *Block) {
			if blocks++; len(b.buf) < large {
				small++
			}
		})
		if small > 1 {
			t.Errorf("%s: %d of %d blocks are small, want only the last", p.name, small, blocks)
		}
		pipe, w := io.Pipe()
		defer pipe.Close()
		live := open(t, pipe, 0, stdinName)
		go w.Write(p.pack(t, []byte(node("a")+"\n"))) // and no end
		b, err := live.Next(t.Context())
		if err != nil || len(b.Events) != 1 {
			t.Errorf("%s: of a live input, got %v, %v", p.name, b, err)
		}
	}
}

// Members need not end where lines do.
func TestConcatenatedMembers(t *testing.T) {
	text := node("a") + "\n" + node("b") + "\n"
	for _, p := range packers {
		t.Run(p.name, func(t *testing.T) {
			packed := bytes.Join([][]byte{p.pack(t, []byte(text[:30])), p.pack(t, nil),
				p.pack(t, []byte(text[30:])), p.pack(t, []byte(node("c")))}, nil)
			got, err := drain(t, open(t, bytes.NewReader(packed), 0, stdinName))
			if err != nil {
				t.Fatal(err)
			}
			wantEvents(t, got, "1 a", "2 b", "3 c")
		})
	}
}

func TestSkippableFrameFirst(t *testing.T) {
	skip := "\x5a\x2a\x4d\x18\x03\x00\x00\x00abc"
	got, err := readString(t, skip+string(zstdBytes(t, []byte(node("a")))))
	if err != nil {
		t.Fatal(err)
	}
	wantEvents(t, got, "1 a")
}

// Cut off anywhere but between members, compressed data is never taken for a
// shorter trace.
func TestTruncatedAnywhere(t *testing.T) {
	a, b := []byte(node("a")+"\n"), []byte(node("b")+"\n")
	for _, p := range packers {
		t.Run(p.name, func(t *testing.T) {
			first, second := p.pack(t, a), p.pack(t, b)
			whole := append(bytes.Clone(first), second...)
			for n := 4; n < len(whole); n++ {
				got, err := drain(t, open(t, bytes.NewReader(whole[:n]), 0, stdinName))
				switch {
				case n == len(first):
					if err != nil {
						t.Fatal(err)
					}
					wantEvents(t, got, "1 a")
				case n < len(first):
					wantUnusable(t, err, stdinName, 1+len(got), p.name, "truncated")
				default:
					wantUnusable(t, err, stdinName, 1+len(got), p.name, "truncated")
					if len(got) == 0 {
						t.Errorf("cut at %d: the first member's event is missing", n)
					}
				}
			}
		})
	}
}

// Nor where the content is looked at first, to tell its format.
func TestTruncatedUnderFormats(t *testing.T) {
	for _, p := range packers {
		first, second := p.pack(t, []byte(node("a")+"\n")), p.pack(t, []byte(node("b")+"\n"))
		whole := append(first, second...)
		for _, n := range []int{4, len(first) - 1, len(first) + 4, len(whole) - 1} {
			r, err := Open([]string{stdinName}, Options{
				Stdin: bytes.NewReader(whole[:n]), Formats: []Format{{Is: func([]byte) (is, known bool) { return false, false }}},
			})
			if err != nil {
				t.Fatal(err)
			}
			got, err := drain(t, r)
			if err == nil {
				t.Fatalf("%s, cut at %d: no error", p.name, n)
			}
			wantText(t, err, p.name, "truncated")
			if n > len(first) && len(got) == 0 {
				t.Errorf("%s, cut at %d: the first member's event is missing", p.name, n)
			}
			r.Close()
		}
	}
}

// Damage in the middle of much data: what comes before it is delivered, and
// every event delivered is right.
func TestCorrupt(t *testing.T) {
	const n = 5000
	data := updates(n)
	for _, p := range packers {
		t.Run(p.name, func(t *testing.T) {
			noLeak(t)
			packed := p.pack(t, data)
			good := len(packed)
			packed = append(packed, packed...)
			for i := good + good/2; i < good+good/2+64; i++ {
				packed[i] ^= 0x55
			}
			file := write(t, "corrupt", packed)
			got, err := drain(t, open(t, nil, 0, file))
			if err == nil {
				t.Fatal("no error")
			}
			wantText(t, err, file)
			if len(got) < n {
				t.Errorf("%d events, but the first member has %d", len(got), n)
			}
			for i, s := range got[:n] {
				if want := fmt.Sprintf("corrupt:%d task%d", i+1, i); s != want {
					t.Fatalf("event %d is %q, want %q", i, s, want)
				}
			}
		})
	}
}

func TestDamage(t *testing.T) {
	gz, zs := gzipBytes(t, []byte(node("a")+"\n")), zstdBytes(t, []byte(node("a")+"\n"))
	wrongSum := func(b []byte, back int) string {
		b = bytes.Clone(b)
		b[len(b)-back] ^= 1
		return string(b)
	}
	tests := []struct {
		name, input string
		line        int
		parts       []string
	}{
		{"gzip checksum", wrongSum(gz, 8), 2, []string{"gzip", "corrupt", "checksum", "intact"}},
		{"gzip then garbage", string(gz) + "garbage and more", 2, []string{"gzip", "corrupt"}},
		{"gzip then little garbage", string(gz) + "12345678", 2, []string{"gzip", "corrupt"}},
		{"gzip then one zero", string(gz) + "\x00", 2, []string{"gzip", "corrupt"}},
		{"gzip then zstd", string(gz) + string(zs), 2, []string{"gzip", "corrupt"}},
		{"gzip magic only", "\x1f\x8b", 1, []string{"gzip", "truncated"}},
		{"zstd checksum", wrongSum(zs, 1), 1, []string{"zstd", "corrupt", "intact"}},
		{"zstd then garbage", string(zs) + "garbage and more", 2, []string{"zstd", "corrupt"}},
		{"zstd then one zero", string(zs) + "\x00", 2, []string{"zstd", "truncated, or a few other bytes follow"}},
		{"zstd dictionary", "\x28\xb5\x2f\xfd\x01\x50\x07", 1, []string{"dictionary", "zstd -d"}},
		{"zstd window", "\x28\xb5\x2f\xfd\x00\xb8", 1, []string{"128 MiB", "zstd -d"}},
		{"zstd long skip", "\x50\x2a\x4d\x18\xff\xff\xff\xff", 1, []string{"zstd", "truncated"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			noLeak(t)
			_, err := readString(t, test.input)
			wantUnusable(t, err, stdinName, test.line, test.parts...)
		})
	}
}

// Text that begins like a magic number is text.
func TestNearlyMagic(t *testing.T) {
	for _, s := range []string{"\x1f", "\x1f{", "(", "\x28\xb5\x2f", "P", "P*M", "[]\n", "\x5a\x2a\x4d\x19"} {
		_, err := readString(t, s)
		wantUnusable(t, err, stdinName, 1)
		if strings.Contains(err.Error(), "gzip") || strings.Contains(err.Error(), "zstd") {
			t.Errorf("%q: %v", s, err)
		}
	}
}
