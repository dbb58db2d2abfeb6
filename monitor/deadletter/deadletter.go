// Package deadletter stores malformed records, so that people can inspect them.
package deadletter

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"unicode/utf8"

	"tracecheck/monitor/lines"
)

// Record is a malformed record.
type Record struct {
	Part    string   // such as "kafka:events/3"
	Offset  *int64   // of a Kafka message
	Line    int      // from 1, where there is no offset
	Reason  string   // why it is malformed
	Streams []string // streams that it may belong to; none: any of the part's
	Key     []byte   // of a message; nil: none
	Raw     []byte   // its bytes, perhaps truncated; nil: unknown
}

// Sink stores dead letters. One goroutine at a time may write.
type Sink interface {
	// Write returns nil when all records are stored. After an error some may be
	// stored, and the caller writes all of them again.
	Write(ctx context.Context, records []Record) error
	Close() error
}

// File writes dead letters as JSON lines.
type File struct{ file *lines.File }

// OpenFile opens the file, or uses stdout for "-".
func OpenFile(path string, stdout io.Writer) (*File, error) {
	f, err := lines.Open(path, stdout)
	if err != nil {
		return nil, err
	}
	return &File{f}, nil
}

// Write implements Sink.
func (f *File) Write(_ context.Context, records []Record) error {
	var all bytes.Buffer
	to := json.NewEncoder(&all)
	to.SetEscapeHTML(false)
	for i := range records {
		if err := to.Encode(records[i].line()); err != nil {
			return err
		}
	}
	return f.file.Append(all.Bytes())
}

// Reopen closes the file. The next Write opens it again.
func (f *File) Reopen() { f.file.Reopen() }

// Close implements Sink.
func (f *File) Close() error { return f.file.Close() }

// line is a record in a file. Bytes that are not UTF-8 are in base64.
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

func (l *Record) line() *line {
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
