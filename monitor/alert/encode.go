package alert

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"tracecheck/validators"
)

// encode returns the alert as JSON, in one line.
func encode(a *Alert) []byte {
	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	if to.Encode(a) != nil { // only the violation's own JSON can be invalid
		b.Reset()
		to.Encode(withoutLines(a))
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// withoutLines returns the alert without the lines and objects of its
// violation, which are the largest part.
func withoutLines(a *Alert) *Alert {
	short := *a
	short.Truncated = true
	if a.Violation != nil {
		v := *a.Violation
		v.Events, v.History, v.Changes, v.Total = nil, nil, nil, 0
		short.Violation = &v
	}
	return &short
}

// mostText bounds the texts of a shortest alert, in bytes.
const mostText = 500

// shortest returns what is needed to look the violation up.
func shortest(a *Alert) *Alert {
	short := withoutLines(a)
	short.Message = cut(short.Message, mostText)
	if v := short.Violation; v != nil {
		v.Message, v.Nearest, v.Sequence = cut(v.Message, mostText), []validators.Near{}, nil
	}
	return short
}

// cut returns at most the given number of bytes of the text, as valid UTF-8.
func cut(text string, most int) string {
	const more = "…"
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= most {
		return text
	}
	end := most - len(more)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + more
}

// size estimates the memory of the alert, in bytes.
func size(a *Alert) int {
	n := 400 + len(a.Part) + len(a.Stream) + len(a.Message) + len(a.File)
	v := a.Violation
	if v == nil {
		return n
	}
	n += 400 + len(v.Message)
	for i := range v.Nearest {
		near := &v.Nearest[i]
		n += 100
		for _, texts := range [][]string{near.Failed, near.Values, near.Held} {
			for _, t := range texts {
				n += 16 + len(t)
			}
		}
	}
	for i := range v.Changes {
		n += 100 + len(v.Changes[i].Before) + len(v.Changes[i].After)
	}
	for _, events := range [][]validators.Event{v.Events, v.History} {
		for i := range events {
			n += 50 + len(events[i].Raw)
		}
	}
	for _, s := range v.Sequence {
		n += 16 + len(s)
	}
	return n
}
