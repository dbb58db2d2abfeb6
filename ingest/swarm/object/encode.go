package object

import (
	"bytes"
	"encoding/json"
	"strings"

	"tracecheck/trace"
)

// Encoder writes lines of a trace. The zero value is ready. It is for one
// goroutine.
type Encoder struct{ decoder trace.Decoder }

// Encode appends a line, with its line end. Text that is not valid UTF-8 is
// written with half of a surrogate pair. So a name with it is rejected, and not
// confused with another name. A line that will be rejected is written anyway,
// and the error is a *trace.Error with the reason.
func (e *Encoder) Encode(b *bytes.Buffer, line any) error {
	start := b.Len()
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false) // the line is not for browsers
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
	if what, _, is := strings.Cut(err.Reason, " is not text: "); is && halves {
		err.Reason = what + " is not valid UTF-8"
	}
	return err
}

// halve writes half of a surrogate pair for each invalid byte. The encoder has
// written them as the escape of U+FFFD, and a valid U+FFFD unescaped.
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
