// Package lines appends lines to a file, and syncs it. It follows the rotation
// of the file by logrotate.
package lines

import (
	"fmt"
	"io"
	"os"
	"sync"
)

// Stdout is the path of standard output.
const Stdout = "-"

// File is an append-only file. Its methods may be called from several
// goroutines.
type File struct {
	path string

	mu   sync.Mutex
	out  io.Writer // instead of a file
	file *os.File  // nil: to be opened
	torn bool      // the last write may be incomplete
}

// Open opens or creates the file, with mode 0640. For the path Stdout it uses
// stdout.
func Open(path string, stdout io.Writer) (*File, error) {
	f := &File{path: path}
	if path == Stdout {
		f.out = stdout
		return f, nil
	}
	return f, f.open()
}

// Append writes lines, each with its newline. When it returns nil they are on
// disk. After an error some of them may be.
func (f *File) Append(lines []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.out != nil {
		return f.write(f.out, lines)
	}
	if f.file != nil && f.moved() {
		f.close()
	}
	if f.file == nil {
		if err := f.open(); err != nil {
			return err
		}
	}
	err := f.write(f.file, lines)
	if err == nil {
		err = f.sync()
	}
	if err != nil {
		f.close() // the next attempt checks how the file ends
	}
	return err
}

// Reopen closes the file. The next Append opens it again.
func (f *File) Reopen() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.close()
}

// Close closes the file. Standard output stays open.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.close()
}

func (f *File) close() error {
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	f.file = nil
	return err
}

// write first ends an unfinished line, perhaps of another process.
func (f *File) write(w io.Writer, lines []byte) error {
	if f.torn {
		lines = append([]byte{'\n'}, lines...)
	}
	n, err := w.Write(lines)
	if n > 0 {
		f.torn = lines[n-1] != '\n'
	}
	if err != nil {
		return fmt.Errorf("cannot write to %s: %w", f.path, err)
	}
	return nil
}

// open also opens for reading, to check how the file ends.
func (f *File) open() error {
	file, err := os.OpenFile(f.path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o640)
	if err != nil {
		return err
	}
	if f.torn, err = torn(file); err != nil {
		file.Close()
		return fmt.Errorf("cannot read the end of %s: %w", f.path, err)
	}
	f.file = file
	return nil
}

// torn reports whether the file ends within a line.
func torn(file *os.File) (bool, error) {
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return false, err
	}
	var last [1]byte
	if _, err := file.ReadAt(last[:], info.Size()-1); err != nil {
		return false, err
	}
	return last[0] != '\n', nil
}

// moved reports whether the path now is another file, or none.
func (f *File) moved() bool {
	mine, err := f.file.Stat()
	if err != nil {
		return true
	}
	there, err := os.Stat(f.path)
	return err != nil || !os.SameFile(mine, there)
}

// sync skips pipes and terminals, which do not support it.
func (f *File) sync() error {
	if info, err := f.file.Stat(); err == nil && !info.Mode().IsRegular() {
		return nil
	}
	if err := f.file.Sync(); err != nil {
		return fmt.Errorf("cannot sync %s to disk: %w", f.path, err)
	}
	return nil
}
