package tracefile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

func unpack(compression string, packed []byte) (string, error) {
	var r io.Reader = bytes.NewReader(packed)
	var err error
	switch compression {
	case CompressGzip:
		r, err = gzip.NewReader(r)
	case CompressZstd:
		r, err = zstd.NewReader(r)
	}
	if err != nil {
		return "", err
	}
	data, err := io.ReadAll(r)
	return string(data), err
}

// What is killed between two writes has all lines up to the last one.
func TestRecordingIsWholeAtEachWrite(t *testing.T) {
	for _, compression := range Compressions {
		t.Run(compression, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "r.jsonl")
			r := &File{Name: name, Compression: compression, header: []byte("meta\n")}
			want := "meta\n"
			for i := range 3 {
				lines := fmt.Sprintf("line %d\nand %d\n", i, i)
				want += lines
				if err := r.WriteLines([]byte(lines)); err != nil {
					t.Fatal(err)
				}
				packed, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				got, err := unpack(compression, packed)
				if err != nil && err != io.ErrUnexpectedEOF || got != want {
					t.Errorf("after write %d: %q, %v, want %q", i, got, err, want)
				}
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			packed, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := unpack(compression, packed); err != nil || got != want {
				t.Errorf("in the end: %q, %v, want %q", got, err, want)
			}
		})
	}
}

func TestRotation(t *testing.T) {
	for _, test := range []struct {
		name string
		File
	}{
		{"size", File{MaxSize: 12, Compression: CompressNone}},
		{"age", File{MaxAge: time.Nanosecond, Compression: CompressGzip}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := test.File
			r.Name, r.header = filepath.Join(t.TempDir(), "r.jsonl"), []byte("meta\n")
			for i := range 3 {
				if err := r.WriteLines([]byte(fmt.Sprintf("line %d\n", i))); err != nil {
					t.Fatal(err)
				}
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			files, err := filepath.Glob(filepath.Join(filepath.Dir(r.Name), "*"))
			if err != nil || len(files) != 3 || strings.Join(files, " ") != strings.Join(r.names, " ") {
				t.Fatalf("files %q, %v, want %q", files, err, r.names)
			}
			for i, file := range files {
				packed, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				want := fmt.Sprintf("meta\nline %d\n", i)
				if got, err := unpack(r.Compression, packed); err != nil || got != want {
					t.Errorf("%s: %q, %v, want %q", file, got, err, want)
				}
			}
		})
	}
}

func TestNumbered(t *testing.T) {
	for name, want := range map[string]string{
		"r.jsonl":        "r-000007.jsonl",
		"r.jsonl.gz":     "r-000007.jsonl.gz",
		"a.b/r.jsonl.gz": "a.b/r-000007.jsonl.gz",
		"a.b/r":          "a.b/r-000007",
		".hidden.jsonl":  ".hidden-000007.jsonl",
		"a/":             "a/-000007",
		"":               "-000007",
	} {
		if got := numbered(name, 7); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// fails takes only so many bytes.
type fails struct{ room int }

var errFull = errors.New("no space left")

func (f *fails) Write(p []byte) (int, error) {
	if len(p) <= f.room {
		f.room -= len(p)
		return len(p), nil
	}
	return f.room, errFull
}

func TestWriteFails(t *testing.T) {
	r := &File{Stdout: &fails{room: 12}, Compression: CompressNone, header: []byte("meta\n")}
	if err := r.WriteLines([]byte("one\n")); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteLines([]byte("more than that\n")); !errors.Is(err, errFull) {
		t.Errorf("error %v, want %v", err, errFull)
	}
	if err := r.Close(); err != nil {
		t.Errorf("it was stored after a failure: %v", err)
	}
}

// The file of a recording that could not take all of a write keeps whole lines. Another trace
// would look like a whole one, and is removed, as is a file without a line.
func TestWriteFailsInAFile(t *testing.T) {
	for _, c := range []struct {
		recording bool
		before    string
		want      string
	}{
		{true, "one\n", "meta\none\n"},
		{true, "", ""},
		{false, "one\n", ""},
	} {
		name := filepath.Join(t.TempDir(), "r.jsonl")
		r := &File{Name: name, Recording: c.recording, Compression: CompressNone, header: []byte("meta\n")}
		if c.before == "" {
			if err := r.begin(); err != nil {
				t.Fatal(err)
			}
		} else if err := r.WriteLines([]byte(c.before)); err != nil {
			t.Fatal(err)
		}
		r.out = partly{r.file}
		if err := r.WriteLines([]byte("another line\n")); !errors.Is(err, errFull) {
			t.Errorf("error %v, want %v", err, errFull)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if got, err := os.ReadFile(name); string(got) != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%+v: the file has %q, %v", c, got, err)
		}
	}
}

// partly writes half of what it is given.
type partly struct{ io.Writer }

func (p partly) Write(data []byte) (int, error) {
	n, err := p.Writer.Write(data[:len(data)/2])
	return n, errors.Join(err, errFull)
}
