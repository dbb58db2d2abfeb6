package follow

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// place is a position: a file, and an offset in it. A file is recognized by its
// first bytes and by the bytes before the offset. The inode is only a
// preference among several candidates: it may be reused, and changes when the
// file is compressed. Device numbers are not kept, since they may change at a
// reboot. If nothing of a file was read, the place has no content, and means
// the next unread file.
type place struct {
	Line   int    `json:"line"`            // number of the next line, from 1
	Offset int64  `json:"offset"`          // of the next line, in bytes of the uncompressed content
	Inode  uint64 `json:"inode,omitempty"` // 0: unknown
	Time   int64  `json:"time"`            // when the content was last written to, as far as seen, in ns since 1970
	Head   sum    `json:"head"`            // of the first bytes
	Tail   sum    `json:"tail"`            // of the bytes before Offset
	Done   []mark `json:"done,omitempty"`  // the last files that were read to their ends, oldest first
}

// mark is a file that was read to its end.
type mark struct {
	End  int64 `json:"end"` // in bytes
	Head sum   `json:"head"`
	Tail sum   `json:"tail"` // of the bytes before its end
}

// sum is a hash of some bytes.
type sum struct {
	bytes int
	hash  string
}

// sumSize is the number of hashed bytes, if there are as many. Within it, lines
// with times or numbers differ.
const sumSize = 1 << 10

// maxDone bounds the marks, which are for files that are compressed late.
const maxDone = 4

func sumOf(p []byte) sum {
	if len(p) == 0 {
		return sum{}
	}
	h := sha256.Sum256(p)
	return sum{len(p), hex.EncodeToString(h[:8])}
}

// begins reports whether p begins with the hashed bytes.
func (s sum) begins(p []byte) bool {
	return s.bytes <= len(p) && sumOf(p[:s.bytes]) == s
}

// MarshalText encodes the sum in short form.
func (s sum) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%d:%s", s.bytes, s.hash), nil }

// UnmarshalText decodes the result of MarshalText.
func (s *sum) UnmarshalText(text []byte) error {
	bytes, hash, _ := strings.Cut(string(text), ":")
	n, err := strconv.Atoi(bytes)
	if err != nil || n < 0 || n > sumSize {
		return fmt.Errorf("%q is not a hash of bytes", text)
	}
	*s = sum{n, hash}
	return nil
}

// ErrPosition is wrapped by the error of Follow for an invalid position.
var ErrPosition = errors.New("is not a position in a followed file")

// Describe is a position for people: the next line to read. It is "" for the start, and for
// what is not a position.
func Describe(at string) string {
	p, err := parsePlace(at)
	if err != nil || p.Line < 1 {
		return ""
	}
	return fmt.Sprintf("line %d", p.Line)
}

// parsePlace parses a position; "" is the zero place.
func parsePlace(from string) (place, error) {
	var p place
	if from == "" {
		return p, nil
	}
	if err := json.Unmarshal([]byte(from), &p); err != nil || p.Line < 1 || !isPlace(p.Offset, p.Tail) ||
		slices.ContainsFunc(p.Done, func(m mark) bool { return !isPlace(m.End, m.Tail) }) {
		return p, fmt.Errorf("%.100q %w", from, ErrPosition)
	}
	return p, nil
}

func isPlace(offset int64, tail sum) bool { return offset >= int64(tail.bytes) }

func (p *place) String() string {
	text, err := json.Marshal(p)
	if err != nil {
		panic("follow: a place of numbers and strings does not encode: " + err.Error())
	}
	return string(text)
}

// finish notes that the file was read to its end.
func (p *place) finish() {
	if p.Offset > 0 {
		p.Done = append(p.Done[max(0, len(p.Done)-maxDone+1):], mark{p.Offset, p.Head, p.Tail})
	}
}
