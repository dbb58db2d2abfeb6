package web

import (
	"bytes"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// metric describes a metric.
type metric struct {
	kind, name, help string
	labels           []string
}

// The kinds of metrics.
const (
	counter = "counter"
	gauge   = "gauge"
	summary = "summary"
)

// The formats of /metrics.
const (
	textFormat  = "text/plain; version=0.0.4; charset=utf-8"
	openMetrics = "application/openmetrics-text; version=1.0.0; charset=utf-8"
)

// exposition has the series of each metric.
type exposition map[*metric][]string

// add adds a series.
func (e exposition) add(m *metric, value float64, labels ...string) {
	e.addAs(m, "", value, labels...)
}

// addAs adds a series whose name has a suffix, as some of a summary have.
func (e exposition) addAs(m *metric, suffix string, value float64, labels ...string) {
	line := m.name + suffix
	for i, label := range labels {
		before := ","
		if i == 0 {
			before = "{"
		}
		line += before + m.labels[i] + `="` + inLabel.Replace(strings.ToValidUTF8(label, "\uFFFD")) + `"`
	}
	if len(labels) > 0 {
		line += "}"
	}
	e[m] = append(e[m], line+" "+strconv.FormatFloat(value, 'g', -1, 64)+"\n")
}

// write appends the series, in order, each metric below its description.
func (e exposition) write(b *bytes.Buffer, open bool) {
	for _, m := range slices.SortedFunc(maps.Keys(e), func(a, b *metric) int { return strings.Compare(a.name, b.name) }) {
		family := m.name
		if open && m.kind == counter {
			family = strings.TrimSuffix(family, "_total")
		}
		b.WriteString("# HELP " + family + " " + inHelp.Replace(m.help) + "\n# TYPE " + family + " " + m.kind + "\n")
		slices.Sort(e[m])
		for _, line := range e[m] {
			b.WriteString(line)
		}
	}
}

var (
	inHelp  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	inLabel = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

// mostScrapes is how many requests for metrics are answered at a time.
const mostScrapes = 5

// exposed answers Prometheus with what collect adds, and with the metrics of Go and of the process.
func exposed(collect func(exposition)) http.Handler {
	seats := make(chan struct{}, mostScrapes)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case seats <- struct{}{}:
			defer func() { <-seats }()
		default:
			http.Error(w, "Other requests for metrics are in progress. Try again.", http.StatusServiceUnavailable)
			return
		}
		e, open := exposition{}, strings.Contains(r.Header.Get("Accept"), "application/openmetrics-text")
		collect(e)
		e.addGo()
		e.addProcess()
		var b bytes.Buffer
		e.write(&b, open)
		w.Header().Set("Content-Type", textFormat)
		if open {
			w.Header().Set("Content-Type", openMetrics)
			b.WriteString("# EOF\n")
		}
		if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			w.Write(b.Bytes())
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		z.Write(b.Bytes()) // an error means that the reader has gone
		z.Close()
	})
}
