package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"net/http"
	"path"
	"strings"
	"time"

	template "github.com/DataDog/datadog-agent/pkg/template/html"

	"tracecheck/internal/amount"
	"tracecheck/monitor/board"
	"tracecheck/report"
	"tracecheck/validators"
)

//go:embed files
var embedded embed.FS

// assets are the files that pages load, by name.
type assets map[string]asset

type asset struct {
	data    []byte
	version string // changes with the data
}

func loadAssets() assets {
	a := assets{}
	for name, before := range map[string]string{"style.css": report.Style(), "live.js": "", "icon.svg": ""} {
		own, err := embedded.ReadFile("files/" + name)
		if err != nil {
			panic(err) // it is embedded
		}
		a.add(name, append([]byte(before), own...))
	}
	a.add("timeline.js", []byte(report.TimelineScript()))
	return a
}

func (a assets) add(name string, data []byte) {
	sum := sha256.Sum256(data)
	a[name] = asset{data, hex.EncodeToString(sum[:6])}
}

// link is the asset's address. Browsers may cache it forever.
func (a assets) link(name string) string { return "static/" + name + "?v=" + a[name].version }

func (s *server) static(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	a, ok := s.assets[name]
	if !ok {
		s.nothingHere(w, r)
		return
	}
	if r.URL.Query().Get("v") == a.version {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	http.ServeContent(w, r, path.Base(name), time.Time{}, bytes.NewReader(a.data))
}

// parse reads the templates. It cannot fail: tests render each. Templates call functions only:
// where they may call methods, the linker keeps every exported method in the program.
func (s *server) parse() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"asset":         s.assets.link,
		"when":          s.when,
		"at":            validators.Stamp.At,
		"known":         func(at time.Time) bool { return !at.IsZero() },
		"whenText":      s.whenText,
		"clean":         report.Clean,
		"stream":        streamName,
		"number":        number,
		"count":         amount.Of,
		"rate":          rate,
		"size":          report.Bytes,
		"took":          took,
		"moment":        report.Moment,
		"undesired":     undesired,
		"partState":     s.partState,
		"streamState":   streamState,
		"livenessClass": func(s validators.Status) string { return livenessClass[s] },
		"waiter":        waiter,
		"lag":           lag,
		"faults":        board.Stream.Faults,
		"allFaults":     board.Totals.Faults,
		"less":          func(a, b int) int { return a - b },
	}).ParseFS(embedded, "files/*.tmpl"))
}

// streamName is a stream's name for people.
func streamName(name string) string {
	if name == "" {
		return "(the default stream)"
	}
	return report.Clean(name)
}

// number is "1,042".
func number(n any) string {
	switch n := n.(type) {
	case int64:
		return amount.Grouped(int(n))
	case int:
		return amount.Grouped(n)
	}
	return fmt.Sprint(n)
}

// lag is a lag with its unit.
func lag(n int64, unit string) string {
	return amount.Of(int(n), strings.TrimSuffix(report.Clean(unit), "s"))
}

// rate is in events a second.
func rate(r float64) string {
	switch {
	case r <= 0:
		return "0/s"
	case r < 0.1:
		return "< 0.1/s"
	case r < 10:
		return fmt.Sprintf("%.1f/s", r)
	}
	return amount.Grouped(int(r+0.5)) + "/s"
}

// took is a rounded duration.
func took(d time.Duration) string {
	switch {
	case d >= time.Minute:
		return span(d)
	case d >= 10*time.Second:
		return d.Round(time.Second).String()
	case d >= 10*time.Millisecond:
		return d.Round(time.Millisecond).String()
	}
	return d.Round(10 * time.Microsecond).String()
}
