package report

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"tracecheck/internal/amount"
	"tracecheck/trace"
	"tracecheck/validators"
)

// eventsShown bounds the shown lines of a step.
const eventsShown = 10

// events shows the step's lines, with the one that breaks the rule.
func (p *printer) events(v *validators.Violation) {
	if len(v.Events) == 0 {
		return
	}
	what := "The step"
	if gjson.GetBytes(v.Events[0].Raw, "op").Str == "snapshot" {
		what = "The snapshot"
	}
	p.section(what)
	width := len(fmt.Sprint(v.LastLine)) // an offset is no wider
	shown := 0
	for i := range v.Events {
		ev := &v.Events[i]
		breaks := ev.Line == v.Line && ev.File == v.File
		if shown >= eventsShown && !breaks {
			continue
		}
		shown++
		number := fmt.Sprintf("%*d  ", width, trace.Pos{File: ev.File, Line: ev.Line}.Number())
		text := number + brief(string(ev.Raw), p.width-5-len(number))
		if breaks && len(v.Events) > 1 {
			p.cut(3, yellow, "> "+text)
		} else {
			p.cut(5, plain, text)
		}
	}
	if left := max(v.Total, len(v.Events)) - shown; left > 0 {
		p.raw(5, p.paint(dim, fmt.Sprintf("… and %s more", amount.Of(left, "line"))))
	}
}

// brief is a line. If it is too long, it has no time and position members: the
// end of a line matters most.
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
