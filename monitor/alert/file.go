package alert

import (
	"context"
	"io"

	"tracecheck/monitor/lines"
)

// File writes alerts as JSON lines.
type File struct {
	name string
	file *lines.File
}

// NewFile opens the file, or uses stdout for "-".
func NewFile(path string, stdout io.Writer) (*File, error) {
	f, err := lines.Open(path, stdout)
	if err != nil {
		return nil, err
	}
	name := "file:" + path
	if path == lines.Stdout {
		name = "stdout"
	}
	return &File{name: name, file: f}, nil
}

// Name implements Receiver.
func (f *File) Name() string { return f.name }

// Deliver implements Receiver.
func (f *File) Deliver(_ context.Context, alerts []Alert) error {
	var all []byte
	for i := range alerts {
		all = append(append(all, encode(&alerts[i])...), '\n')
	}
	return f.file.Append(all)
}

// Reopen closes the file. The next alert opens it again.
func (f *File) Reopen() { f.file.Reopen() }

// Close implements Receiver.
func (f *File) Close() error { return f.file.Close() }
