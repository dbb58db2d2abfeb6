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

// place is a position: which file, and where in it. A file is known again by
// what stands at its start and before the place; its inode only says which of
// several to prefer, since it may be reused, and a compressed file has another.
// Device numbers are not kept: they may change when a machine starts. Of a file
// of which nothing was read, nothing is kept: it is the next one that is not
// read.
type place struct {
	Line   int    `json:"line"`            // of the next line, from 1
	Offset int64  `json:"offset"`          // of the next line, in bytes of the content
	Inode  uint64 `json:"inode,omitempty"` // 0: not known
	Time   int64  `json:"time"`            // when what was read was last written to, as far as was seen; ns since 1970
	Head   sum    `json:"head"`            // of the first bytes that there were
	Tail   sum    `json:"tail"`            // of the last bytes before Offset
	Done   []mark `json:"done,omitempty"`  // the last files that were read to their ends, oldest first
}

// mark is a file that was read to its end.
type mark struct {
	End  int64 `json:"end"` // in bytes
	Head sum   `json:"head"`
	Tail sum   `json:"tail"` // of the last bytes before its end
}

// sum is a hash of so many bytes.
type sum struct {
	bytes int
	hash  string
}

// sumSize is how many bytes a sum is of, where there are as many: lines with
// times or numbers differ within these.
const sumSize = 1 << 10

// maxDone bounds the marks: they are for files that are compressed late.
const maxDone = 4

func sumOf(p []byte) sum {
	if len(p) == 0 {
		return sum{}
	}
	h := sha256.Sum256(p)
	return sum{len(p), hex.EncodeToString(h[:8])}
}

// begins reports whether the bytes begin with those of the sum.
func (s sum) begins(p []byte) bool {
	return s.bytes <= len(p) && sumOf(p[:s.bytes]) == s
}

// MarshalText makes it short.
func (s sum) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%d:%s", s.bytes, s.hash), nil }

// UnmarshalText reads what MarshalText writes.
func (s *sum) UnmarshalText(text []byte) error {
	bytes, hash, _ := strings.Cut(string(text), ":")
	n, err := strconv.Atoi(bytes)
	if err != nil || n < 0 || n > sumSize {
		return fmt.Errorf("%q is no sum of bytes", text)
	}
	*s = sum{n, hash}
	return nil
}

// ErrPosition is in the error of Follow where it was given no position.
var ErrPosition = errors.New("is no position in a file that is followed")

// parsePlace returns the place of a position, the zero one for "".
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

// finish notes that the file is read to its end.
func (p *place) finish() {
	if p.Offset > 0 {
		p.Done = append(p.Done[max(0, len(p.Done)-maxDone+1):], mark{p.Offset, p.Head, p.Tail})
	}
}
