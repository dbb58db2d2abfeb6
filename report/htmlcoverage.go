package report

import (
	"fmt"

	"tracecheck/internal/amount"
	"tracecheck/postmortem/coverage"
	"tracecheck/validators"
)

// specView is the coverage of a spec.
type specView struct {
	Name     string
	Line     string // the summary of the actions
	Shares   []coverage.Share
	Measures []measureView
}

type measureView struct {
	Name, Meaning string
	Items         []coverage.Item
}

func specViews(all []validators.Coverage) []specView {
	shares := coverage.Shares(all)
	var views []specView
	for i := range all {
		c := &all[i]
		view := specView{Name: c.Spec, Line: exercisedLine(c)}
		for _, s := range shares {
			if s.Spec == c.Spec {
				view.Shares = append(view.Shares, s)
			}
		}
		for _, item := range coverage.Items(c) {
			last := len(view.Measures) - 1
			if last < 0 || view.Measures[last].Name != string(item.Measure) {
				view.Measures = append(view.Measures, measureView{Name: string(item.Measure), Meaning: meanings[item.Measure]})
				last++
			}
			view.Measures[last].Items = append(view.Measures[last].Items, item)
		}
		views = append(views, view)
	}
	return views
}

// coverageView is the template data of a coverage report.
type coverageView struct {
	Title   string
	Summary string
	Traces  []traceView
	Below   []string
	Specs   []specView
	Against *coverage.Change
	Gained  []string
	Lost    []string
}

type traceView struct {
	File, Verdict, Reason string
	Steps                 int
}

func coverageViewOf(r *coverage.Report) *coverageView {
	v := &coverageView{Title: "tracecheck: coverage", Specs: specViews(r.Coverage), Against: r.Against}
	steps := 0
	for i := range r.Traces {
		t := &r.Traces[i]
		steps += t.Steps
		v.Traces = append(v.Traces, traceView{clean(t.File), traceVerdict(t), clean(t.Reason), t.Steps})
	}
	v.Summary = fmt.Sprintf("%s, %s judged", amount.Of(len(r.Traces), "trace"), amount.Of(steps, "step"))
	for i := range r.Below {
		v.Below = append(v.Below, belowText(&r.Below[i]))
	}
	if r.Against != nil {
		for i := range r.Against.Gained {
			v.Gained = append(v.Gained, changedText(&r.Against.Gained[i]))
		}
		for i := range r.Against.Lost {
			v.Lost = append(v.Lost, changedText(&r.Against.Lost[i]))
		}
	}
	return v
}
