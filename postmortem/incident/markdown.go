package incident

import (
	"fmt"
	"html"
	"strings"

	"tracecheck/internal/amount"
	"tracecheck/report"
	"tracecheck/trace"
	"tracecheck/validators"
)

const (
	mostInline      = 8 << 10 // bytes of a short trace that are within the document
	mostLinesInline = 40
	mostBefore      = 20 // events of the timeline before the step
	mostOthers      = 10 // other violations that are listed
)

// folded are the sections that are collapsed: few readers need them.
var folded = []string{"Every action of ", "The whole history of its objects"}

// document writes Markdown.
type document struct{ strings.Builder }

// Markdown returns the document. slice and shrunk are the names of files with the short
// traces; "": there are none.
func (in *Incident) Markdown(slice, shrunk string) string {
	var d document
	if in.account == nil {
		in.verdict(&d)
		return d.String()
	}
	v := in.first()
	what, where := report.Headline(v)
	d.line("# Violation of " + code(report.Clean(v.Spec)) + ": " + code(report.Clean(v.Rule)))
	d.fenced("text", what+"\n\n"+strings.Join(report.Wrap(report.Clean(v.Message), 100), "\n")+"\n")
	d.item("Where", where)
	d.item("Judged by", strings.Join(in.Result.Specs, ", ")+in.opts.Flags)
	d.item("Violation", v.ID)
	d.item("Fingerprint", v.Fingerprint())
	d.item("Read", fmt.Sprintf("%s: %s, %s judged, %s", in.opts.Files, amount.Of(in.Result.Events, "event"), amount.Of(in.Result.Steps, "step"), amount.Of(in.Result.Streams, "stream")))
	in.others(&d)
	d.paragraph()
	for i, s := range report.Sections(in.account) {
		isFolded := false
		for _, prefix := range folded {
			isFolded = isFolded || strings.HasPrefix(s.Title, prefix)
		}
		if d.section(s, isFolded); i == 0 {
			d.section(report.Course(in.account, mostBefore), false)
		}
	}
	in.short(&d, shrunk, in.shrunkLines(), in.noShrunk, "## A minimal trace that shows it", "shrink")
	in.short(&d, slice, in.sliceLines(), in.noSlice, "## The steps of the trace that show it", "slice")
	in.reproduce(&d)
	in.notes(&d)
	in.versions(&d)
	return d.String()
}

// verdict writes the document of a trace without a violation.
func (in *Incident) verdict(d *document) {
	r := in.Result
	text := "No step breaks a rule: every step is one that the spec allows."
	if r.Verdict != validators.Conforming {
		text = "No violation was found before the input could not be judged on."
	}
	d.line("# Verdict: " + string(r.Verdict))
	d.line(text)
	if r.Reason != "" {
		d.fenced("text", report.Clean(r.Reason)+"\n")
	}
	d.item("Judged by", strings.Join(r.Specs, ", ")+in.opts.Flags)
	d.item("Read", fmt.Sprintf("%s: %s, %s judged, %s", in.opts.Files, amount.Of(r.Events, "event"), amount.Of(r.Steps, "step"), amount.Of(r.Streams, "stream")))
	d.paragraph()
	in.versions(d)
}

// others lists the violations of the result that are not of the step.
func (in *Incident) others(d *document) {
	var others []string
	for i := range in.Result.Violations {
		if v := &in.Result.Violations[i]; !report.SameStep(v, in.first()) {
			others = append(others, fmt.Sprintf("%s %s %s", trace.Pos{File: v.File, Line: v.Line}, v.Kind, v.Rule))
		}
	}
	if len(others) == 0 {
		return
	}
	d.item("Other violations of the trace", amount.Grouped(len(others)))
	for i, o := range others {
		if i == mostOthers {
			d.WriteString("  - and more: `tracecheck validate --keep-going` lists them\n")
			break
		}
		d.WriteString("  - " + code(o) + "\n")
	}
}

func (in *Incident) sliceLines() []string {
	if in.slice == nil {
		return nil
	}
	return in.slice.Lines
}

func (in *Incident) shrunkLines() []string {
	if in.shrunk == nil {
		return nil
	}
	return in.shrunk.Lines
}

// made has the names of the files that the document's commands write.
var made = map[string]string{"slice": sliceFile, "shrink": shrunkFile}

// short writes a short trace into the document, if it is short enough. It also names its
// file. Without both, it writes the command that makes the trace.
func (in *Incident) short(d *document, file string, lines []string, none, title, command string) {
	d.line(title)
	text := strings.Join(lines, "\n") + "\n"
	fits := len(lines) <= mostLinesInline && len(text) <= mostInline
	switch {
	case lines == nil:
		d.line("There is none: " + none + ".")
		return
	case file != "" && (!fits || command == "slice"):
		d.line(fmt.Sprintf("%s, in the file %s.", amount.Of(len(lines), "line"), code(file)))
		return
	case !fits:
		d.line(fmt.Sprintf("It has %s. This command makes it:", amount.Of(len(lines), "line")))
		d.fenced("sh", in.command(command+" -o "+made[command])+"\n")
		return
	}
	if file != "" {
		d.line(fmt.Sprintf("It is also in the file %s.", code(file)))
	}
	if command == "slice" {
		d.fold(amount.Of(len(lines), "line"), "json", visible(lines))
		return
	}
	d.fenced("json", visible(lines))
}

// visible returns the lines without control characters.
func visible(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(report.Clean(line) + "\n")
	}
	return b.String()
}

// command returns a command line for the trace.
func (in *Incident) command(name string) string {
	return "tracecheck " + name + in.opts.Flags + " " + in.opts.Files
}

func (in *Incident) reproduce(d *document) {
	d.line("## To reproduce it")
	line := ""
	if at := in.opts.Line; at.Line > 0 {
		line = fmt.Sprintf(" --line %d", at.Line)
		if strings.Contains(in.opts.Files, " ") {
			line = " --line '" + at.String() + "'"
		}
	}
	going := ""
	if line != "" && in.noSlice != wholeLog {
		going = " --keep-going"
	}
	commands := []string{in.command("validate" + going), in.command("explain" + line)}
	if in.slice != nil {
		around := strings.Replace(line, "--line", "--around", 1)
		commands = append(commands, in.command("slice -o "+sliceFile+around), in.command("shrink -o "+shrunkFile+around))
		if in.shrunk != nil {
			commands = append(commands, "tracecheck validate"+in.shrunk.Flags(in.opts.Beside)+" "+shrunkFile)
		}
	}
	if rule := report.ReadRule(in.first()); strings.HasPrefix(rule, "tracecheck ") {
		commands = append(commands, rule)
	}
	d.fenced("sh", strings.Join(commands, "\n")+"\n")
}

func (in *Incident) notes(d *document) {
	notes := in.doc.Notes
	if in.Result.Verdict == validators.Unusable {
		notes = append(notes, "the input could not be judged to its end: "+in.Result.Reason)
	}
	if len(notes) == 0 {
		return
	}
	d.line("## Notes")
	d.fenced("text", visible(notes))
}

func (in *Incident) versions(d *document) {
	d.line("## Versions")
	d.fenced("text", visible(in.opts.About))
}

func (d *document) line(text string) { d.WriteString(text + "\n\n") }

func (d *document) paragraph() { d.WriteString("\n") }

// item writes a value with its name; "": there is none.
func (d *document) item(name, value string) {
	if value == "" {
		return
	}
	d.WriteString("- **" + name + ":** " + code(report.Clean(value)) + "\n")
}

func (d *document) section(s report.Section, folded bool) {
	if folded {
		d.fold(s.Title, "text", s.Text)
		return
	}
	d.line("## " + s.Title)
	d.fenced("text", s.Text)
}

// fold writes a collapsed part. Trackers without support for it show it.
func (d *document) fold(title, language, text string) {
	d.line("<details><summary>" + html.EscapeString(title) + "</summary>")
	d.fenced(language, text)
	d.line("</details>")
}

// fenced writes text in a fence that is longer than any fence in it.
func (d *document) fenced(language, text string) {
	fence := strings.Repeat("`", max(3, longest(text)+1))
	d.line(fence + language + "\n" + text + fence)
}

// code returns text on one line as a code span.
func code(text string) string {
	n := longest(text)
	if n == 0 {
		return "`" + text + "`"
	}
	mark := strings.Repeat("`", n+1)
	return mark + " " + text + " " + mark
}

// longest returns the length of the longest run of backticks.
func longest(text string) int {
	most, n := 0, 0
	for _, r := range text {
		if n++; r != '`' {
			n = 0
		}
		most = max(most, n)
	}
	return most
}
