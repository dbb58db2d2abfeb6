package console

import (
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progressAfter keeps short runs free of a bar that only flashes up.
const progressAfter = 300 * time.Millisecond

// Progress shows on a terminal how far reading has come: the rate, and the time
// left where the input's size is known. nil shows nothing.
type Progress struct {
	bar   *progressbar.ProgressBar
	total int64
	start time.Time
	shown bool
}

// NewProgress counts bytes, or what the unit says.
func NewProgress(w io.Writer, what, unit string, total int64) *Progress {
	if total <= 0 {
		total = -1
	}
	bar := progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription(what),
		progressbar.OptionShowBytes(unit == ""),
		progressbar.OptionShowIts(),
		progressbar.OptionSetItsString(unit),
		progressbar.OptionShowCount(),
		progressbar.OptionUseIECUnits(true),
		progressbar.OptionSetPredictTime(total > 0),
		progressbar.OptionSetWidth(24),
		progressbar.OptionSetSpinnerChangeInterval(0), // no goroutine of its own
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionUseANSICodes(true),
	)
	bar.StartWithoutRender()
	return &Progress{bar: bar, total: total, start: time.Now()}
}

// Set says how much has been read.
func (p *Progress) Set(read int64) {
	if p == nil || read <= 0 {
		return
	}
	if !p.shown && time.Since(p.start) < progressAfter {
		return
	}
	p.shown = true
	if p.total > 0 && read >= p.total {
		read = p.total - 1 // the bar ends when the judging does: reading runs ahead
	}
	p.bar.Set64(read) // fails only where the terminal does
}

// Tell says more of what is done.
func (p *Progress) Tell(what string) {
	if p.shown {
		p.bar.Describe(what)
	}
}

// Done takes the bar away.
func (p *Progress) Done() {
	if p != nil && p.shown {
		p.bar.Clear()
	}
}
