package alert

import (
	"context"
	"io"

	"tracecheck/monitor/lines"
)

// File receives alerts as lines of JSON.
type File struct {
	name string
	file *lines.File
}

// NewFile opens the file, or standard output for "-".
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

// Name is that of Receiver.
func (f *File) Name() string { return f.name }

// Deliver is that of Receiver.
func (f *File) Deliver(_ context.Context, alerts []Alert) error {
	var all []byte
	for i := range alerts {
		all = append(append(all, encode(&alerts[i])...), '\n')
	}
	return f.file.Append(all)
}

// Reopen makes the next alerts go to a file that is opened anew.
func (f *File) Reopen() { f.file.Reopen() }

// Close is that of Receiver.
func (f *File) Close() error { return f.file.Close() }
