package report

import (
	"fmt"
	"strings"

	"tracecheck/internal/amount"
	"tracecheck/trace"
	"tracecheck/validators"
)

// resultView is the template data of a result. All text from the trace is
// cleaned, as for a terminal.
type resultView struct {
	Title      string
	Verdict    string // the word
	Class      string
	Headline   string
	Reason     string
	Notes      []string
	Summary    []figure
	Steps      []stepView
	Rest       []restView
	Desired    []string
	Risks      []riskView
	MoreRisks  int
	Holding    []string
	Allowances []string
	Coverage   []specView
	Timeline   *timelineData
	Version    string
}

type figure struct{ Name, Value string }

type stepView struct {
	Number  int
	Rules   []ruleView
	Lines   []lineView
	More    int
	Changes []changeView
	Strips  []strip
	History [][3]string
	Before  string // the title of History
	Command string
}

type ruleView struct {
	Title, Rule, Place, Message string
	Sequence                    []string
	Nearest                     []nearView
	NearestTitle                string
	State                       []fieldView
	StateTitle                  string
}

type nearView struct {
	Title  string
	Count  string
	Failed []failedView
	Held   []string
}

type failedView struct{ Clause, But string }

type lineView struct {
	Line   int64
	Text   string
	Breaks bool
}

type changeView struct {
	Name, What string
	Changes    bool
	Fields     []fieldView
}

type fieldView struct {
	Name, Before, After string
	Changed             bool
}

type restView struct{ Place, Rule, Message string }

type riskView struct {
	Rule, Since string
	Reason      string // the cause, if the property itself has one
	Waiting     []string
	More        int
}

var verdictClass = map[validators.Verdict]string{validators.Conforming: "good", validators.Violated: "bad", validators.Unusable: "unsure"}

func viewOf(d *Document) *resultView {
	r := d.Result
	v := &resultView{
		Verdict: strings.ToUpper(string(r.Verdict)), Class: verdictClass[r.Verdict],
		Reason: clean(r.Reason), Notes: cleanAll(d.Notes), Version: d.Version,
		Coverage: specViews(r.Coverage), Timeline: d.Timeline.data(r),
	}
	switch r.Verdict {
	case validators.Conforming:
		v.Headline = strings.Join(r.Specs, ", ") + ": " + conforms(r)
	case validators.Violated:
		first := &r.Violations[0]
		v.Headline = clean(fmt.Sprintf("%s at %s", first.Spec, trace.Pos{File: first.File, Line: first.Line}))
	default:
		v.Headline = "the input could not be judged to its end"
	}
	if r.Partial {
		v.Verdict += " (PARTIAL)"
	}
	v.Title = fmt.Sprintf("tracecheck: %s, %s", r.Verdict, v.Headline)
	v.Summary = summaryOf(r)
	groups := bySteps(r.Violations)
	for i, g := range groups {
		if i < fullyShown {
			v.Steps = append(v.Steps, stepViewOf(d, i+1, g))
			continue
		}
		for k := range g {
			at := trace.Pos{File: g[k].File, Line: g[k].Line}
			v.Rest = append(v.Rest, restView{clean(at.String()), clean(string(g[k].Kind) + " " + g[k].Rule), clean(g[k].Message)})
		}
	}
	v.liveness(r)
	for _, u := range r.Allowances {
		v.Allowances = append(v.Allowances, fmt.Sprintf("%s %s: %s", u.Spec, u.Name, amount.Grouped(u.Count)))
	}
	return v
}

func summaryOf(r *validators.Result) []figure {
	list := []figure{{"violations", amount.Grouped(len(r.Violations))}, {"events", amount.Grouped(r.Events)}, {"steps judged", amount.Grouped(r.Steps)}, {"streams", amount.Grouped(r.Streams)}}
	for _, f := range []struct {
		name string
		n    int
	}{{"duplicates skipped", r.Duplicates}, {"gaps", r.Gaps}, {"events skipped at gaps", r.Skipped}} {
		if f.n > 0 {
			list = append(list, figure{f.name, amount.Grouped(f.n)})
		}
	}
	return list
}

func stepViewOf(d *Document, number int, step []validators.Violation) stepView {
	first := &step[0]
	s := stepView{Number: number, Strips: d.Timeline.strips(first), Command: clean(readRule(step))}
	for i := range step {
		v := &step[i]
		title, rule, _ := strings.Cut(inWords(v), "  [")
		view := ruleView{Title: clean(title), Rule: clean(strings.TrimSuffix(rule, "]")), Message: clean(v.Message), Sequence: cleanAll(sequenceParts(v.Sequence))}
		if at := place(v); i == 0 || at != place(first) {
			view.Place = clean(at)
		}
		for k := range v.Nearest {
			view.Nearest = append(view.Nearest, nearViewOf(&v.Nearest[k]))
		}
		view.NearestTitle = nearestTitle(v)
		for _, b := range v.State {
			view.State = append(view.State, fieldView{clean(b.Name), clean(b.Value), clean(b.After), b.After != "" && b.After != b.Value})
		}
		view.StateTitle = stateTitle(v.State)
		s.Rules = append(s.Rules, view)
	}
	for i := range first.Events {
		ev := &first.Events[i]
		s.Lines = append(s.Lines, lineView{trace.Pos{File: ev.File, Line: ev.Line}.Number(), clean(string(ev.Raw)), ev.Line == first.Line && ev.File == first.File})
	}
	s.More = max(0, first.Total-len(first.Events))
	changes := firstChanges(step)
	for i := range changes {
		s.Changes = append(s.Changes, changeViewOf(&changes[i]))
	}
	for i := range step {
		for k := range step[i].History {
			row := historyRow(&step[i].History[k], &step[i], changes)
			s.History = append(s.History, [3]string{clean(row[0]), clean(row[1]), clean(row[2])})
		}
		if len(s.History) > 0 {
			s.Before = historyTitle(&step[i])
			break
		}
	}
	return s
}

func nearViewOf(n *validators.Near) nearView {
	view := nearView{Title: clean(n.Action), Count: fmt.Sprintf("%d of %d failed", len(n.Failed), len(n.Failed)+len(n.Held)), Held: cleanAll(n.Held)}
	if n.Actor != "" {
		view.Title += " (" + clean(n.Actor) + ")"
	}
	for i, text := range n.Failed {
		f := failedView{Clause: clean(at(text, placed(n, i)))}
		if i < len(n.Values) && n.Values[i] != text {
			f.But = clean(n.Values[i])
		}
		view.Failed = append(view.Failed, f)
	}
	return view
}

func changeViewOf(c *validators.Change) changeView {
	fields, what := compare(c)
	view := changeView{Name: clean(c.Kind + " " + c.ID), What: what, Changes: what == whatChanges}
	for i := range fields {
		f := &fields[i]
		view.Fields = append(view.Fields, fieldView{clean(f.name), clean(or(f.before)), clean(or(f.after)), f.changed()})
		if !view.Changes {
			view.Fields[i].Before = clean(f.before + f.after)
		}
	}
	return view
}

// liveness fills in the properties at risk, those that hold, and the streams'
// desired states.
func (v *resultView) liveness(r *validators.Result) {
	var b strings.Builder
	p := newPrinter(&b, false, noTerminal)
	p.prose = 1 << 20 // the browser wraps lines
	p.desired(r)
	p.flush() // writing to memory does not fail
	for _, text := range strings.Split(b.String(), "\n") {
		if text = strings.TrimSpace(text); text != "" {
			v.Desired = append(v.Desired, text)
		}
	}
	for i := range r.Liveness {
		l := &r.Liveness[i]
		name := clean(l.Spec + " " + l.Rule)
		if r.Streams > 1 {
			name = clean(recordingName(l.Stream, l.Recording)) + ": " + name
		}
		switch l.Status {
		case validators.Holding:
			v.Holding = append(v.Holding, name)
		case validators.AtRisk:
			if len(v.Risks) == fullyShown {
				v.MoreRisks++
				continue
			}
			risk := riskView{Rule: name, Since: clean(moment(l.SinceFile, l.SinceLine, l.SinceTime))}
			for k := range l.Waiting {
				w := &l.Waiting[k]
				if w.Kind == "" {
					risk.Reason = clean(w.Reason)
					continue
				}
				text := fmt.Sprintf("%s waits for %s since %s",
					strings.TrimSuffix(w.Object(), ","), w.Action, moment(w.SinceFile, w.SinceLine, w.SinceTime))
				if w.Reason != "" {
					text += "; " + w.Reason
				}
				risk.Waiting = append(risk.Waiting, clean(text))
			}
			if n := len(risk.Waiting); n > 0 {
				risk.More = max(0, l.Open-n)
			}
			v.Risks = append(v.Risks, risk)
		}
	}
	if n := len(v.Holding); n > fullyShown {
		v.Holding = []string{fmt.Sprintf("%s of %s", amount.Grouped(n), amount.Grouped(len(r.Liveness)))}
	}
}

func cleanAll(texts []string) []string {
	list := make([]string, len(texts))
	for i := range texts {
		list[i] = clean(texts[i])
	}
	return list
}
