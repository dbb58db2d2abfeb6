// Package deadletter keeps the inputs that are no events, for people to look at.
package deadletter

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"unicode/utf8"

	"tracecheck/monitor/lines"
)

// Letter is an input that is no event.
type Letter struct {
	Part    string   // such as "kafka:events/3"
	Offset  *int64   // of a Kafka message
	Line    int      // from 1, where there is no offset
	Reason  string   // why it is no event
	Streams []string // those that it may be of; none: any of the part's
	Key     []byte   // of a message; nil: none
	Raw     []byte   // what it is, perhaps cut off; nil: not known
}

// Sink is where letters go. One goroutine at a time may write.
type Sink interface {
	// Write returns nil when all letters have arrived for good. After an error
	// some of them may have: the caller writes all of them again.
	Write(ctx context.Context, letters []Letter) error
	Close() error
}

// File takes letters as lines of JSON.
type File struct{ file *lines.File }

// OpenFile opens the file, or standard output for "-".
func OpenFile(path string, stdout io.Writer) (*File, error) {
	f, err := lines.Open(path, stdout)
	if err != nil {
		return nil, err
	}
	return &File{f}, nil
}

// Write is that of Sink.
func (f *File) Write(_ context.Context, letters []Letter) error {
	var all bytes.Buffer
	to := json.NewEncoder(&all)
	to.SetEscapeHTML(false)
	for i := range letters {
		if err := to.Encode(letters[i].line()); err != nil {
			return err
		}
	}
	return f.file.Append(all.Bytes())
}

// Reopen makes the next letters go to a file that is opened anew.
func (f *File) Reopen() { f.file.Reopen() }

// Close is that of Sink.
func (f *File) Close() error { return f.file.Close() }

// line is a letter in a file. What is no UTF-8 is in base64.
type line struct {
	Part      string   `json:"part"`
	Offset    *int64   `json:"offset,omitempty"`
	Line      int      `json:"line,omitempty"`
	Reason    string   `json:"reason"`
	Streams   []string `json:"streams,omitempty"`
	Key       *string  `json:"key,omitempty"`
	KeyBase64 []byte   `json:"key_base64,omitempty"`
	Raw       *string  `json:"raw,omitempty"`
	RawBase64 []byte   `json:"raw_base64,omitempty"`
}

func (l *Letter) line() *line {
	out := &line{Part: l.Part, Offset: l.Offset, Line: l.Line, Reason: l.Reason, Streams: l.Streams}
	out.Key, out.KeyBase64 = text(l.Key)
	out.Raw, out.RawBase64 = text(l.Raw)
	return out
}

func text(b []byte) (*string, []byte) {
	switch {
	case b == nil:
		return nil, nil
	case !utf8.Valid(b):
		return nil, b
	}
	s := string(b)
	return &s, nil
}
