package top

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"tracecheck/internal/amount"
	"tracecheck/monitor/web"
	"tracecheck/report"
)

// marks are the marks of the banner, by its class.
var marks = map[string]string{"good": "✓", "unsure": "!", "bad": "✗"}

// The number of lines for each section of a screen. Streams get the rest.
const (
	reasonsShown    = 4
	partsShown      = 6
	violationsShown = 5
)

// lines returns the state as text, with at most height lines of at most width characters.
func (s *state) lines(width, height int) []string {
	o := &s.overview
	text := []string{fmt.Sprintf("tracecheck monitor %s  %s  %s", o.Version, s.addr, s.at.UTC().Format("15:04:05Z")), marks[o.Status] + " " + o.Headline}
	text = append(text, first(o.Reasons, reasonsShown, func(reason string) string { return "  " + reason })...)
	t := &o.Totals
	text = append(text, "", fmt.Sprintf("rate %s   streams %s   violations %s%s   not judged %s   open obligations %s   events %s",
		web.Rate(t.Rate), amount.Grouped(t.Streams), amount.Grouped(int(t.Violations)-t.Accepted), accepted(t.Accepted), amount.Grouped(t.Unusable), amount.Grouped(t.Open), amount.Grouped(int(t.Events))))
	text = append(text, s.history(width)...)

	rows := [][]string{{"PART", "STATE", "RATE", "LAG", "CHECKPOINT", "NEXT"}}
	for i := range o.Parts {
		p := &o.Parts[i]
		saved := "none yet"
		if !p.Saved.IsZero() {
			saved = web.Age(s.at.Sub(p.Saved))
		}
		rows = append(rows, []string{p.Name, p.State, web.Rate(p.Rate), web.Lag(p.Lag, p.Unit), saved, p.Place})
	}
	text = append(append(text, ""), table(rows, partsShown)...)

	rows = [][]string{{"VIOLATION", "STREAM", "FOUND", "WHAT"}}
	for i := range s.violations.Violations {
		v := &s.violations.Violations[i]
		what := report.Cause(&v.Violation)
		if what == "" {
			what = v.Message
		}
		if k := v.Acknowledged; k != nil {
			what = "acknowledged by " + k.By + ": " + what
		}
		rows = append(rows, []string{v.Spec + " " + v.Rule, streamName(v.Stream), web.Age(s.at.Sub(v.Found)), what})
	}
	text = append(append(text, ""), table(rows, violationsShown)...)

	rows = [][]string{{"STREAM", "STATE", "RATE", "OPEN", "LAST EVENT"}}
	for i := range s.streams.Streams {
		st := &s.streams.Streams[i]
		last := "unknown"
		if !st.LastEvent.IsZero() {
			last = web.Age(s.at.Sub(st.LastEvent))
		}
		rows = append(rows, []string{streamName(st.Stream), condition(st), web.Rate(st.Rate), amount.Grouped(st.Open), last})
	}
	text = append(append(text, ""), table(rows, max(height-len(text)-3, 1))...)
	if more := s.streams.Total - len(s.streams.Streams); more > 0 {
		text = append(text, fmt.Sprintf("and %s more", amount.Of(more, "stream")))
	}
	text = text[:min(len(text), max(height, 0))]
	for i := range text {
		text[i] = report.Fit(text[i], width)
	}
	return text
}

// condition returns the worst condition of a stream.
func condition(st *web.Stream) string {
	faults := st.Violations - st.Accepted
	switch {
	case st.Unusable != "" && faults > 0:
		return "not judged, " + amount.Of(faults, "violation")
	case st.Unusable != "":
		return "not judged"
	case faults > 0:
		return amount.Of(faults, "violation")
	}
	for _, d := range st.Desired {
		if !d.InDesiredState {
			return "not as desired"
		}
	}
	return "ok"
}

// accepted returns the text about acknowledged violations.
func accepted(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (and %s acknowledged)", amount.Grouped(n))
}

func streamName(name string) string {
	if name == "" {
		return "(default)"
	}
	return name
}

// history draws a row of blocks for each figure, the latest on the right.
func (s *state) history(width int) []string {
	all := s.past.Samples
	const label = 12
	if room := max(width-label, 1); len(all) > room {
		all = all[len(all)-room:]
	}
	if len(all) == 0 {
		return nil
	}
	rate, lag, found := make([]float64, len(all)), make([]float64, len(all)), make([]float64, len(all))
	for i, one := range all {
		rate[i], found[i] = one.Rate, float64(one.Violations)
		if lag[i] = -1; one.Lag != nil {
			lag[i] = float64(*one.Lag)
		}
	}
	over := time.Duration(len(all)) * (s.at.Sub(all[0].At) / time.Duration(len(all)))
	return []string{
		"", fmt.Sprintf("%-*s%s", label, "rate", blocks(rate)), fmt.Sprintf("%-*s%s", label, "violations", blocks(found)),
		fmt.Sprintf("%-*s%s", label, "lag", blocks(lag)), strings.Repeat(" ", label) + "since " + web.Age(over),
	}
}

// blocks draws values from 0 to the largest. A value below 0 is unknown.
func blocks(values []float64) string {
	const levels = "▁▂▃▄▅▆▇█"
	steps := []rune(levels)
	most := 0.0
	for _, v := range values {
		most = max(most, v)
	}
	var b strings.Builder
	for _, v := range values {
		switch {
		case v < 0:
			b.WriteByte(' ')
		case v == 0 || most == 0:
			b.WriteRune(steps[0])
		default:
			b.WriteRune(steps[min(1+int(v/most*float64(len(steps)-1)), len(steps)-1)])
		}
	}
	return b.String()
}

// first returns the first entries of the list, and the number of the others.
func first(list []string, most int, form func(string) string) (text []string) {
	for i, one := range list {
		if i == most {
			return append(text, fmt.Sprintf("  and %d more", len(list)-i))
		}
		text = append(text, form(one))
	}
	return text
}

// mostCell is the width of a column that is not the last, in characters.
const mostCell = 44

// table aligns the columns of the heading and of the first rows.
func table(rows [][]string, most int) []string {
	left := len(rows) - 1 - most
	if left > 0 {
		rows = rows[:most+1]
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i := range row {
			if row[i] = report.Clean(row[i]); i < len(row)-1 {
				row[i] = report.Fit(row[i], mostCell)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
	}
	var text []string
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			line += cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2)
		}
		text = append(text, strings.TrimRight(line, " "))
	}
	if len(rows) == 1 {
		text = append(text, "none")
	}
	if left > 0 {
		text = append(text, fmt.Sprintf("and %d more", left))
	}
	return text
}
