package report

import (
	"encoding/json"
	"sort"
	"strings"
	"unicode/utf8"

	"tracecheck/trace"
	"tracecheck/validators"
)

// line is the part of a trace's line that is shown.
type line struct {
	Kind   string          `json:"kind"`
	Op     string          `json:"op"`
	ID     string          `json:"id"`
	Time   string          `json:"time"`
	Actor  string          `json:"actor"`
	Action string          `json:"action"`
	Object json.RawMessage `json:"object"`
}

// history shows the last events of the step's objects, one per line. Changed
// fields come first, since long lines are cut.
func (p *printer) history(v *validators.Violation, changes []validators.Change) {
	p.section(historyTitle(v))
	p.rows(5, v.History, v, changes)
}

func historyTitle(v *validators.Violation) string {
	if v.Text != "" {
		return "Earlier lines that changed what the clause reads"
	}
	return "Earlier events of the same objects"
}

// rows shows events, one per line.
func (p *printer) rows(indent int, events []validators.Event, v *validators.Violation, changes []validators.Change) {
	var rows [][3]string // position, operation, object
	place, what := 0, 0
	for i := range events {
		row := historyRow(&events[i], v, changes)
		place = max(place, utf8.RuneCountInString(row[0]))
		what = max(what, utf8.RuneCountInString(row[1]))
		rows = append(rows, row)
	}
	for _, row := range rows {
		p.cut(indent, plain, strings.TrimRight(padded(row[0], place)+"  "+padded(row[1], what)+"  "+row[2], " "))
	}
}

// historyRow leaves out the file and the date if they are the violation's.
func historyRow(ev *validators.Event, v *validators.Violation, changes []validators.Change) (row [3]string) {
	at := trace.Pos{File: ev.File, Line: ev.Line}
	row[0] = at.String()
	if ev.File == v.File {
		row[0] = at.Within()
	}
	var l line
	if err := json.Unmarshal(ev.Raw, &l); err != nil || l.Kind == "" { // a line of a foreign log
		row[2] = string(ev.Raw)
		return row
	}
	if l.Time != "" {
		row[0] += "  " + sameDay(l.Time, v.Time)
	}
	row[1] = strings.TrimSpace(l.Op + " " + l.Kind + " " + l.ID)
	row[2] = strings.TrimSpace(content(l.Object, changes) + by(&l))
	return row
}

// sameDay is a time, without its date if both have the same.
func sameDay(time, other string) string {
	const date = len("2026-11-20T")
	if len(time) > date && len(other) > date && time[:date] == other[:date] {
		return time[date:]
	}
	return time
}

// content is an object's fields, those that the spec judges first.
func content(object json.RawMessage, changes []validators.Change) string {
	fields, _ := members(object)
	judged := map[string]bool{}
	for i := range changes {
		for _, raw := range []json.RawMessage{changes[i].Before, changes[i].After} {
			known, _ := members(raw)
			for _, f := range known {
				judged[f.name] = true
			}
		}
	}
	sort.SliceStable(fields, func(i, j int) bool { return judged[fields[i].name] && !judged[fields[j].name] })
	parts := make([]string, len(fields))
	for i, f := range fields {
		parts[i] = f.name + " " + f.after
	}
	return strings.Join(parts, ", ")
}

// by is the claim of the line.
func by(l *line) string {
	switch {
	case l.Actor != "" && l.Action != "":
		return "  by " + l.Actor + ", " + l.Action
	case l.Actor+l.Action != "":
		return "  by " + l.Actor + l.Action
	}
	return ""
}
