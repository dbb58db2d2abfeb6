package object

import (
	"bytes"
	"encoding/json"
	"strings"

	"tracecheck/trace"
)

// Encoder writes lines of a trace. The zero value is ready; it serves one
// goroutine.
type Encoder struct{ decoder trace.Decoder }

// Encode appends a line, with its end. Where a text is not valid UTF-8, the line
// has half of a surrogate pair, so that it is refused where that text is a name,
// and not read as another's. A line that would be refused, for that or another
// reason, is there, and the error is a *trace.Error that says why.
func (e *Encoder) Encode(b *bytes.Buffer, line any) error {
	start := b.Len()
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false) // no browser reads it
	if err := enc.Encode(line); err != nil {
		return err
	}
	own := b.Bytes()[start : b.Len()-1]
	halves := halve(own)
	e.decoder.Reset()
	var ev trace.Event
	err, refused := e.decoder.Decode(own, trace.Pos{}, &ev).(*trace.Error)
	if !refused {
		return nil
	}
	if what, _, is := strings.Cut(err.Reason, " is no text: "); is && halves {
		err.Reason = what + " is not valid UTF-8"
	}
	return err
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
