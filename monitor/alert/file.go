package alert

import (
	"context"
	"io"

	"tracecheck/monitor/lines"
)

// File writes alerts as JSON lines, or as text for people.
type File struct {
	name string
	file *lines.File
	text bool
}

// NewFile opens the file, or uses stdout for "-". If text is set, alerts on stdout are text
// for people.
func NewFile(path string, stdout io.Writer, text bool) (*File, error) {
	f, err := lines.Open(path, stdout)
	if err != nil {
		return nil, err
	}
	name := "file:" + path
	if path == lines.Stdout {
		name = "stdout"
	}
	return &File{name: name, file: f, text: text && path == lines.Stdout}, nil
}

// Name implements Receiver.
func (f *File) Name() string { return f.name }

// Deliver implements Receiver.
func (f *File) Deliver(_ context.Context, alerts []Alert) error {
	var all []byte
	for i := range alerts {
		line := encode
		if f.text {
			line = inWords
		}
		all = append(append(all, line(&alerts[i])...), '\n')
	}
	return f.file.Append(all)
}

// Reopen closes the file. The next alert opens it again.
func (f *File) Reopen() { f.file.Reopen() }

// Close implements Receiver.
func (f *File) Close() error { return f.file.Close() }
