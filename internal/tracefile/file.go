// Package tracefile writes traces: to standard output, to a file, or to several that
// are one trace, compressed or not. Of a recording, what was written before a failure can be
// read; of another trace, a part would be mistaken for the whole, and is removed.
package tracefile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tracecheck/internal/console"
	"tracecheck/internal/files"
)

// File is what is written: standard output, a file, or several files that
// are one trace in the order of their names.
type File struct {
	Name        string // "" and "-" are stdout
	Private     bool   // only its owner may read it
	Recording   bool   // what was written stays after a failure
	Stdout      io.Writer
	Compression string
	MaxSize     int64         // of a file as it is stored; 0: no bound
	MaxAge      time.Duration // 0: no bound
	header      []byte        // the lines that each file begins with

	names  []string  // those written
	out    io.Writer // nil: the next write begins a file
	file   *os.File  // out, where it is a file
	size   int64     // of out, as it is stored
	since  time.Time
	packed bytes.Buffer
	pack   compressor // to packed
	failed bool       // nothing more is stored
}

// IsStdout reports whether the name of an output is that of standard output.
func IsStdout(name string) bool { return name == "" || name == "-" }

func (r *File) rotates() bool { return r.MaxSize > 0 || r.MaxAge > 0 }

// WriteLines stores whole lines, and all that was written before can be read.
func (r *File) WriteLines(lines []byte) error {
	if r.out != nil && r.full() {
		if err := r.Close(); err != nil {
			return err
		}
	}
	if r.out == nil {
		if err := r.begin(); err != nil {
			return err
		}
		r.pack.Write(r.header) // to memory, as all that follows
	}
	r.pack.Write(lines)
	r.pack.Flush()
	return r.store()
}

// Write implements io.Writer, for whole lines.
func (r *File) Write(lines []byte) (int, error) { return len(lines), r.WriteLines(lines) }

func (r *File) full() bool {
	return r.MaxSize > 0 && r.size >= r.MaxSize || r.MaxAge > 0 && time.Since(r.since) >= r.MaxAge
}

func (r *File) begin() (err error) {
	if r.pack, err = newCompressor(r.Compression, &r.packed); err != nil {
		return err
	}
	if IsStdout(r.Name) {
		if r.out = r.Stdout; r.Compression == CompressNone {
			r.out = console.ForTerminal(r.Stdout)
		}
		return nil
	}
	name := r.Name
	if r.rotates() {
		name = numbered(name, len(r.names)+1)
	}
	mode := os.FileMode(0o666)
	if r.Private {
		mode = 0o600
	}
	r.file, err = files.New(name, mode) // two recordings in one file would be no trace
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s already exists: rename it, or choose another --output", name)
	}
	if err != nil {
		return fmt.Errorf("cannot begin the trace: %w", err)
	}
	r.out, r.size, r.since = r.file, 0, time.Now()
	r.names = append(r.names, name)
	return nil
}

// store moves what is packed to the file. If that fails, the file keeps what
// it had: a part of a line is no good to anybody.
func (r *File) store() error {
	n, err := r.out.Write(r.packed.Bytes())
	r.packed.Reset()
	if err != nil {
		if r.file != nil {
			r.file.Truncate(r.size) // the error that counts is the write's
			if name := r.file.Name(); (!r.Recording || r.size == 0) && !files.IsDevice(name) {
				os.Remove(name)
			}
		}
		r.failed = true
		return fmt.Errorf("cannot write the trace: %w", err)
	}
	r.size += int64(n)
	return nil
}

// Close ends the file; a later write begins the next one.
func (r *File) Close() error {
	if r.out == nil {
		return nil
	}
	r.pack.Close()
	var err error
	if !r.failed {
		err = r.store()
	}
	if r.file != nil {
		err = cmp.Or(err, r.file.Close())
	}
	r.out, r.file = nil, nil
	return err
}

// numbered puts a number before the extensions: the names' order is the
// trace's.
func numbered(name string, n int) string {
	dir, base := filepath.Split(name)
	end := len(base)
	if i := strings.Index(strings.TrimPrefix(base, "."), "."); i >= 0 {
		end = i + len(base) - len(strings.TrimPrefix(base, "."))
	}
	return fmt.Sprintf("%s%s-%06d%s", dir, base[:end], n, base[end:])
}
