package report

import (
	"bufio"
	"embed"
	"io"
	"strconv"
	"sync"

	template "github.com/DataDog/datadog-agent/pkg/template/html"

	"tracecheck/internal/amount"
	"tracecheck/postmortem/coverage"
)

//go:embed html/*.tmpl
var templates embed.FS

//go:embed html/style.css
var styleSheet string

//go:embed html/timeline.js
var timelineScript string

// page has the templates. They cannot fail to parse: tests render each. Templates call functions
// only: where they may call methods, the linker keeps every exported method in the program.
var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"style":   func() template.CSS { return template.CSS(styleSheet) },
		"script":  func() template.JS { return template.JS(timelineScript) },
		"grouped": amount.Grouped,
		"count":   amount.Of,
		"percent": func(s coverage.Share) string { return percent(s.Percent()) },
		"width":   func(s coverage.Share) string { return strconv.FormatFloat(s.Percent(), 'f', 2, 64) },
	}).ParseFS(templates, "html/*.tmpl"))
})

// HTML writes the document as one self-contained HTML file. It is readable without
// scripts.
func HTML(w io.Writer, d *Document) error {
	return render(w, "result", viewOf(d))
}

// CoverageHTML writes the coverage report as one HTML file.
func CoverageHTML(w io.Writer, r *coverage.Report) error {
	return render(w, "coverage", coverageViewOf(r))
}

func render(w io.Writer, name string, view any) error {
	b := bufio.NewWriter(w)
	if err := page().ExecuteTemplate(b, name, view); err != nil {
		return err
	}
	return b.Flush()
}
