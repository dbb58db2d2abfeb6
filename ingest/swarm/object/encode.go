package object

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"tracecheck/trace"
)

// ErrNotText is in the error of Encode: a name is not valid UTF-8.
var ErrNotText = errors.New("it is not valid UTF-8")

// Encode appends a line of a trace, with its end. Where a text is not valid UTF-8,
// the line has half of a surrogate pair, so that the line is refused where that
// text is a name, and not read as another's. This is an error, which says what
// the name is of, though the line is there.
func Encode(b *bytes.Buffer, line any) error {
	start := b.Len()
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false) // no browser reads it
	if err := enc.Encode(line); err != nil {
		return err
	}
	own := b.Bytes()[start : b.Len()-1]
	if !halve(own) {
		return nil
	}
	var d trace.Decoder
	var ev trace.Event
	if e, ok := d.Decode(own, trace.Pos{}, &ev).(*trace.Error); ok {
		what, _, _ := strings.Cut(e.Reason, ":")
		return fmt.Errorf("%s: %w", what, ErrNotText)
	}
	return nil
}

// halve puts half of a surrogate pair for each byte that was no text. The
// encoder has the escape of U+FFFD for these, and the character itself as it is.
func halve(json []byte) (found bool) {
	const replaced = `\ufffd`
	for i := 0; i < len(json); i++ {
		if json[i] != '\\' {
			continue
		}
		if bytes.HasPrefix(json[i:], []byte(replaced)) {
			copy(json[i:], `\udfff`)
			found = true
		}
		i++
	}
	return found
}
