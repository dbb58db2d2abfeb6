package report

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"tracecheck/validators"
)

// eventsShown is how many lines of a step are shown.
const eventsShown = 10

// events shows the step's lines, numbered where that is certain: a stream's
// lines may have others' between them.
func (p *printer) events(v *validators.Violation) {
	if len(v.Events) == 0 {
		return
	}
	p.section("The step")
	lines := v.LastLine - v.FirstLine + 1
	whole := v.FirstFile == "" && lines == len(v.Events)
	width := len(fmt.Sprint(v.LastLine))
	for i, raw := range v.Events {
		if i == eventsShown {
			break
		}
		number := ""
		if whole {
			number = fmt.Sprintf("%*d  ", width, v.FirstLine+i)
		}
		text := number + brief(raw, p.width-5-len(number))
		if whole && lines > 1 && v.FirstLine+i == v.Line {
			p.cut(3, yellow, "> "+text)
		} else {
			p.cut(5, plain, text)
		}
	}
	switch {
	case len(v.Events) == validators.MaxChanges && !whole:
		p.raw(5, p.paint(dim, "… and the step's other lines"))
	case len(v.Events) > eventsShown:
		p.raw(5, p.paint(dim, fmt.Sprintf("… and %s more", count(len(v.Events)-eventsShown, "line"))))
	}
}

// brief is a line as it stands or, where it is too long, without the members
// that only say when it was: what comes last in a line matters most.
func brief(raw string, width int) string {
	if utf8.RuneCountInString(raw) <= width {
		return raw
	}
	all, ok := members(json.RawMessage(raw))
	if !ok {
		return raw
	}
	var parts []string
	for _, m := range all {
		switch m.name {
		case "stream", "seq", "time", "tx":
		default:
			parts = append(parts, fmt.Sprintf("%q:%s", m.name, m.after))
		}
	}
	if len(parts) == len(all) {
		return raw
	}
	return "{…" + strings.Join(parts, ",") + "}"
}
