package web

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	template "github.com/DataDog/datadog-agent/pkg/template/html"

	"tracecheck/internal/amount"
	"tracecheck/monitor/board"
)

// chart is a figure over the last hours.
type chart struct {
	Name  string
	Class string
	Now   string // the last value
	Most  string // the largest
	Path  template.HTMLAttr
}

// The size of a chart, in its own units, and how many moments it shows.
const (
	chartWidth  = 360
	chartHeight = 60
	chartPoints = 180
)

// leastSpan is the shortest time that a chart shows: a young process has few samples.
const leastSpan = 10 * time.Minute

// charts draws the samples. Its span is the time from the left to the right.
func (s *server) charts(o *board.Overview) (list []chart, over time.Duration) {
	samples := s.board.Past()
	if len(samples) == 0 {
		return nil, 0
	}
	now := s.now()
	over = max(leastSpan, now.Sub(samples[0].At).Truncate(time.Minute))
	unit := ""
	for i := range o.Parts {
		unit = o.Parts[i].Unit
	}
	last := samples[len(samples)-1]
	rates, lags, found := points{}, points{}, points{}
	for _, one := range samples {
		x := chartPoints - 1 - int(now.Sub(one.At)*chartPoints/over)
		rates.most(x, one.Rate)
		found.most(x, 0)
		if found.add(x, float64(one.Violations)); one.Lag >= 0 {
			lags.most(x, float64(one.Lag))
		}
	}
	count := func(n float64) string { return amount.Grouped(int(n)) }
	inUnit := func(n float64) string { return lag(int64(n), unit) }
	list = []chart{
		{Name: "rate", Now: rate(last.Rate), Most: rate(rates.max()), Path: rates.line()},
		{Name: "violations", Class: "bad", Now: count(float64(last.Violations)), Most: count(found.max()), Path: found.bars()},
	}
	if len(lags) > 0 {
		known := "unknown"
		if last.Lag >= 0 {
			known = inUnit(float64(last.Lag))
		}
		list = append(list, chart{Name: "lag", Now: known, Most: inUnit(lags.max()), Path: lags.line()})
	}
	return list, over
}

// points are the values of a chart, by their index from 0 to chartPoints-1.
type points map[int]float64

func (p points) add(x int, value float64) {
	if x >= 0 && x < chartPoints {
		p[x] += value
	}
}

func (p points) most(x int, value float64) {
	if x >= 0 && x < chartPoints {
		p[x] = max(p[x], value)
	}
}

func (p points) max() (most float64) {
	for _, value := range p {
		most = max(most, value)
	}
	return most
}

// line connects the points that are less than three places apart: there may be fewer
// samples than places.
func (p points) line() template.HTMLAttr {
	return p.draw(func(x, y, before float64) string {
		if before < 0 || x-before > 3*chartWidth/chartPoints {
			return fmt.Sprintf("M%.0f %.1fh1", x, y)
		}
		return fmt.Sprintf("L%.0f %.1f", x, y)
	})
}

// bars draws each value as a bar.
func (p points) bars() template.HTMLAttr {
	return p.draw(func(x, y, _ float64) string {
		if y >= chartHeight {
			return ""
		}
		return fmt.Sprintf("M%.0f %dV%.1f", x, chartHeight, y)
	})
}

// draw gives each point its piece of the path. before is the x of the point before it.
func (p points) draw(piece func(x, y, before float64) string) template.HTMLAttr {
	var b strings.Builder
	most, before := p.max(), -1.0
	for place := range chartPoints {
		value, known := p[place]
		if !known {
			continue
		}
		x, y := float64(place*chartWidth/chartPoints), float64(chartHeight)
		if most > 0 {
			y -= value / most * (chartHeight - 2)
		}
		b.WriteString(piece(x, y, before))
		before = x
	}
	return template.HTMLAttr(`d="` + b.String() + `"`) // only numbers
}

// apiSample is a sample of /api/past.
type apiSample struct {
	At         time.Time `json:"at"`
	Rate       float64   `json:"events_per_second"`
	Lag        *int64    `json:"lag,omitempty"`
	Violations int64     `json:"violations"`
}

func (s *server) apiPast(w http.ResponseWriter, r *http.Request) {
	all := []apiSample{}
	for _, one := range s.board.Past() {
		all = append(all, apiSample{one.At, one.Rate, known(one.Lag), one.Violations})
	}
	writeJSON(w, http.StatusOK, map[string]any{"samples": all})
}
