package command

import (
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progressAfter keeps short runs free of a bar that only flashes up.
const progressAfter = 300 * time.Millisecond

// progress shows on a terminal how far reading has come: the rate, and the time
// left where the input's size is known. nil shows nothing.
type progress struct {
	bar   *progressbar.ProgressBar
	total int64
	start time.Time
	shown bool
}

// newProgress counts bytes, or what the unit says.
func newProgress(w io.Writer, what, unit string, total int64) *progress {
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
	return &progress{bar: bar, total: total, start: time.Now()}
}

// set says how much has been read.
func (p *progress) set(read int64) {
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

// tell says more of what is done.
func (p *progress) tell(what string) {
	if p.shown {
		p.bar.Describe(what)
	}
}

// done takes the bar away.
func (p *progress) done() {
	if p != nil && p.shown {
		p.bar.Clear()
	}
}
