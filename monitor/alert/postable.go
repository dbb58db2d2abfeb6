package alert

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"tracecheck/report"
	"tracecheck/trace"
)

// postable is an alert in the format of version 2 of Alertmanager's API.
type postable struct {
	Labels       map[string]string `json:"labels"`
	Annotations  map[string]string `json:"annotations"`
	StartsAt     time.Time         `json:"startsAt"`
	EndsAt       time.Time         `json:"endsAt"`
	GeneratorURL string            `json:"generatorURL,omitempty"`
}

// ourLabels identify the alert. Empty ones are left out, as Alertmanager
// ignores them.
var ourLabels = map[string]func(*Alert) string{
	"alertname": func(a *Alert) string {
		if a.Kind == OfUnusable {
			return "TracecheckStreamUnusable"
		}
		return "TracecheckViolation"
	},
	"id":     func(a *Alert) string { return a.ID },
	"part":   func(a *Alert) string { return a.Part },
	"stream": func(a *Alert) string { return a.Stream },
	"spec": func(a *Alert) string {
		if a.Violation == nil {
			return ""
		}
		return a.Violation.Spec
	},
	"rule": func(a *Alert) string {
		if a.Violation == nil {
			return ""
		}
		return a.Violation.Rule
	},
	"kind": func(a *Alert) string {
		if a.Violation == nil {
			return string(a.Kind)
		}
		return string(a.Violation.Kind)
	},
}

// Bounds of the texts for people, in bytes.
const (
	mostLabel   = 256
	mostSummary = 300
	mostMessage = 2000
	mostNear    = 3 // actions
	mostClauses = 4 // of each
	mostClause  = 300
)

// mostYear bounds the times that are posted unchanged.
const mostYear = 9000

// postable sets the alert's end relative to now. An alert that was delayed for
// long still fires.
func (w *Webhook) postable(a *Alert) postable {
	labels := map[string]string{"severity": "critical"}
	if a.Kind == OfUnusable {
		labels["severity"] = "warning"
	}
	for name, value := range w.opts.Labels {
		labels[name] = cut(value, mostLabel)
	}
	for name, of := range ourLabels {
		labels[name] = cut(of(a), mostLabel)
	}
	annotations := map[string]string{
		"summary": cut(summary(a), mostSummary), "description": description(a),
		"position": cut(position(a), mostSummary), "link": w.link(a),
	}
	for _, texts := range []map[string]string{labels, annotations} {
		for name, value := range texts {
			if value == "" {
				delete(texts, name)
			}
		}
	}
	start, end := a.Found.UTC().Truncate(time.Millisecond), w.now().UTC().Truncate(time.Millisecond)
	switch {
	case start.Year() < 1 || start.Year() > mostYear: // JSON could not encode it, or its end
		start = end
	case start.After(end):
		end = start
	}
	return postable{labels, annotations, start, end.Add(w.opts.ResolveAfter), w.link(a)}
}

func summary(a *Alert) string {
	if v := a.Violation; v != nil {
		return fmt.Sprintf("%s: %s %s is violated in stream %q: %s", v.Spec, v.Kind, v.Rule, a.Stream, cmp.Or(report.Cause(v), a.Message))
	}
	return fmt.Sprintf("stream %q is not judged", a.Stream)
}

// description is the message with the nearest actions.
func description(a *Alert) string {
	var b strings.Builder
	b.WriteString(cut(a.Message, mostMessage))
	if a.Violation == nil {
		return b.String()
	}
	for i, near := range a.Violation.Nearest {
		if i == mostNear {
			break
		}
		fmt.Fprintf(&b, "\nNearest: %s", near.Action)
		if near.Actor != "" {
			fmt.Fprintf(&b, " (%s)", near.Actor)
		}
		for k, clause := range near.Failed {
			if k == mostClauses {
				fmt.Fprintf(&b, "\n  and %d more", len(near.Failed)-k)
				break
			}
			if k < len(near.Values) && near.Values[k] != "" {
				clause += "   but " + near.Values[k]
			}
			fmt.Fprintf(&b, "\n  failed: %s", cut(strings.Join(strings.Fields(clause), " "), mostClause))
		}
	}
	return b.String()
}

// position is where the event is.
func position(a *Alert) string {
	text := trace.Pos{File: a.File, Line: a.Line}.String()
	if a.Violation != nil && a.Violation.Seq != nil {
		text += fmt.Sprintf(", seq %d", *a.Violation.Seq)
	}
	if a.Time != "" {
		text += ", " + a.Time
	}
	return strings.TrimPrefix(text, ", ")
}
