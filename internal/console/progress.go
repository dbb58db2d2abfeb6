package console

import (
	"fmt"
	"io"
	"strings"
	"time"

	"tracecheck/internal/amount"
	"tracecheck/report"
)

const (
	progressAfter = 300 * time.Millisecond // short runs have no line that only flashes up
	progressEvery = 100 * time.Millisecond
	barWidth      = 20
)

// Progress shows on one line of a terminal how far reading has come: the rates, what was
// found, and the time left where the input's size is known. nil shows nothing.
type Progress struct {
	line   *Line
	what   string
	unit   string
	total  int64 // 0: not known
	events int
	found  int
	start  time.Time
	drawn  time.Time // zero: not yet
}

// NewProgress counts bytes, or what the unit says. A total that is not positive is not known.
func NewProgress(w io.Writer, what, unit string, total int64) *Progress {
	return &Progress{line: NewLine(w), what: what, unit: unit, total: max(total, 0), start: time.Now()}
}

// Found says how many events have been read, and how many violations were found in them.
func (p *Progress) Found(events, violations int) {
	if p != nil {
		p.events, p.found = events, violations
	}
}

// Set says how much has been read.
func (p *Progress) Set(read int64) {
	if p == nil || read <= 0 {
		return
	}
	now := time.Now()
	if now.Sub(p.start) < progressAfter || now.Sub(p.drawn) < progressEvery {
		return
	}
	p.drawn = now
	p.line.Show(p.text(read, now.Sub(p.start), p.line.Room()))
}

// Tell says more of what is done.
func (p *Progress) Tell(what string) { p.what = what }

// Done takes the line away.
func (p *Progress) Done() {
	if p != nil {
		p.line.Show("")
	}
}

// text is what fits into the room, in characters; 0: everything does. What matters least is
// left out first.
func (p *Progress) text(read int64, took time.Duration, room int) string {
	seconds := took.Seconds()
	bar, percent, of, left := "", "", p.amount(read), ""
	if p.total > 0 {
		read = min(read, p.total-1) // the line ends when the judging does: reading runs ahead
		share := float64(read) / float64(p.total)
		done := int(share * barWidth)
		bar = "[" + strings.Repeat("=", done) + strings.Repeat(" ", barWidth-done) + "]"
		percent = fmt.Sprintf("%d%%", int(share*100))
		of = strings.TrimSuffix(of, " "+p.unit) + " of " + p.amount(p.total)
		left = (time.Duration(seconds * (1/share - 1) * float64(time.Second))).Round(time.Second).String() + " left"
	}
	rate := p.amount(int64(float64(read)/seconds)) + "/s"
	events, found := "", ""
	if p.events > 0 {
		events = amount.Grouped(int(float64(p.events)/seconds)) + " events/s"
	}
	if p.found > 0 {
		found = amount.Of(p.found, "violation")
	}
	parts := []string{p.what, bar, percent, of, rate, events, found, left}
	for _, least := range []int{1, 3, 7, 4, 5, 2} {
		text := joined(parts)
		if room == 0 || len([]rune(text)) <= room {
			return text
		}
		parts[least] = ""
	}
	return joined(parts)
}

// amount is a number of bytes, or of what the unit says.
func (p *Progress) amount(n int64) string {
	if p.unit == "" {
		return report.Bytes(int(n))
	}
	return amount.Grouped(int(n)) + " " + p.unit
}

// joined are the parts that say something.
func joined(parts []string) string {
	var b strings.Builder
	for _, part := range parts {
		if part != "" && b.Len() > 0 {
			b.WriteString("  ")
		}
		b.WriteString(part)
	}
	return b.String()
}
