package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"tracecheck/internal/amount"
	"tracecheck/trace"
	"tracecheck/validators"
)

// GitHub writes the result as workflow commands. GitHub Actions shows them as
// annotations.
func GitHub(w io.Writer, d *Document) error {
	b := bufio.NewWriter(w)
	r := d.Result
	for i := range r.Violations {
		v := &r.Violations[i]
		message := v.Message
		if len(v.Nearest) > 0 {
			message += "\nTo read the rule: " + readRule(r.Violations[i:i+1])
		}
		command(b, "error", message, "file", v.File, "line", fmt.Sprint(v.Line), "title", fmt.Sprintf("%s: %s %s", v.Spec, v.Kind, v.Rule))
	}
	switch r.Verdict {
	case validators.Conforming:
		command(b, "notice", fmt.Sprintf("%s: %s, %s judged, %s", conforms(r),
			amount.Of(r.Events, "event"), amount.Of(r.Steps, "step"), amount.Of(r.Streams, "stream")), "title", "conforming: "+strings.Join(r.Specs, ", "))
	case validators.Unusable:
		command(b, "error", r.Reason, "title", "the input could not be judged to its end")
	}
	for i := range r.Liveness {
		if l := &r.Liveness[i]; l.Status == validators.AtRisk && l.SinceLine > 0 {
			command(b, "warning", riskText(l), "file", l.SinceFile, "line", fmt.Sprint(l.SinceLine), "title", l.Spec+": at risk: "+l.Rule)
		}
	}
	return b.Flush()
}

// riskText is a sentence with the oldest obligation of a property.
func riskText(l *validators.Liveness) string {
	text := "at risk (fails if nothing more happens) since " + moment(l.SinceFile, l.SinceLine, l.SinceTime)
	if len(l.Waiting) > 0 {
		w := &l.Waiting[0]
		if w.Kind != "" {
			text += fmt.Sprintf(": %s waits for %s", strings.TrimSuffix(w.Object(), ","), w.Action)
			if l.Open > 1 {
				text += fmt.Sprintf(", and %s more", amount.Grouped(l.Open-1))
			}
		}
		if w.Reason != "" {
			text += "; " + w.Reason
		}
	}
	if l.Stream != "" {
		text = trace.StreamName(l.Stream) + ": " + text
	}
	return text
}

// command writes one workflow command; properties alternates names and values.
func command(w io.Writer, name, message string, properties ...string) {
	var list []string
	for i := 0; i < len(properties); i += 2 {
		list = append(list, properties[i]+"="+property.Replace(clean(properties[i+1])))
	}
	lines := strings.Split(message, "\n")
	for i := range lines {
		lines[i] = clean(lines[i])
	}
	fmt.Fprintf(w, "::%s %s::%s\n", name, strings.Join(list, ","), data.Replace(strings.Join(lines, "\n")))
}

// The characters to escape in a command's message and properties.
var (
	data     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
