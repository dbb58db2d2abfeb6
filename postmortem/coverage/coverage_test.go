package coverage

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"tracecheck/validators"
)

// of is the coverage of a spec with two actions, a transition and a clause.
func of(spec string, a, b, transition, clause int) validators.Coverage {
	return validators.Coverage{
		Spec:        spec,
		Actions:     []validators.ActionCount{{Action: "A", Count: a}, {Action: "B", Count: b}},
		Transitions: []validators.TransitionCount{{Transition: validators.Transition{By: "A", From: "x", To: "y"}, Count: transition}},
		Clauses:     []validators.ClauseCount{{ActionClause: validators.ActionClause{Action: "A", Clause: "x = 1"}, Count: clause}},
	}
}

func report(specs ...validators.Coverage) *Report {
	r := &Report{}
	r.Add("t.jsonl", &validators.Result{Verdict: validators.Conforming, Coverage: specs})
	return r
}

func TestTracesAdd(t *testing.T) {
	r := report(of("s", 1, 0, 0, 2))
	r.Add("u.jsonl", &validators.Result{Verdict: validators.Conforming, Coverage: []validators.Coverage{of("s", 3, 0, 5, 0), of("other", 0, 0, 0, 0)}})
	want := []validators.Coverage{of("s", 4, 0, 5, 2), of("other", 0, 0, 0, 0)}
	if fmt.Sprint(r.Coverage) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", r.Coverage, want)
	}
	if r.Unusable() {
		t.Error("no trace is unusable")
	}
	if r.Add("v.jsonl", &validators.Result{Verdict: validators.Unusable, Reason: "gap"}); !r.Unusable() {
		t.Error("one trace is unusable")
	}
}

// The lists of the JSON are lists, also if no spec judged.
func TestEmptyLists(t *testing.T) {
	got, err := json.Marshal(report())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"coverage":[]`, `"shares":[]`} {
		if !strings.Contains(string(got), want) {
			t.Errorf("%s has no %s", got, want)
		}
	}
}

func TestShares(t *testing.T) {
	got := Shares([]validators.Coverage{of("s", 1, 0, 7, 0)})
	want := []Share{{"s", Actions, 1, 2}, {"s", Transitions, 1, 1}, {"s", Clauses, 0, 1}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if p := got[0].Percent(); p != 50 {
		t.Errorf("1 of 2 is %v %%", p)
	}
}

func TestMinimum(t *testing.T) {
	for text, want := range map[string]string{
		"80":                                    "map[actions:80]",
		"0":                                     "map[actions:0]",
		"99.5,transitions=60":                   "map[actions:99.5 transitions:60]",
		"actions=100,clauses=1,branches=2":      "map[actions:100 branches:2 clauses:1]",
		"":                                      "",
		"101":                                   "",
		"-1":                                    "",
		"NaN":                                   "",
		"actions":                               "",
		"steps=3":                               "",
		"80,actions=70":                         "",
		"actions=80,":                           "",
		"transitions=60,transitions=60,actions": "",
	} {
		var got, again Minimum
		err := got.Set(text)
		if want == "" && (err == nil || !strings.Contains(err.Error(), "actions, transitions, clauses, branches")) || want != "" && fmt.Sprint(map[Measure]float64(got)) != want {
			t.Errorf("%q: got %v, %v; want %q", text, got, err, want)
		}
		if err == nil && (again.Set(got.String()) != nil || !maps.Equal(got, again)) {
			t.Errorf("%q: its text %s is read as %v", text, got.String(), again)
		}
	}
}

// A share is below only if it is less; what a spec has nothing of is not asked
// for; each spec is asked by itself.
func TestCheck(t *testing.T) {
	r := report(of("s", 1, 0, 1, 0), of("other", 1, 1, 0, 0))
	r.Check(Minimum{Actions: 50, Branches: 100, Transitions: 1})
	if fmt.Sprint(r.Below) != fmt.Sprint([]Below{{Share{"other", Transitions, 0, 1}, 1}}) {
		t.Errorf("got %v", r.Below)
	}
}

func TestCompare(t *testing.T) {
	const old = `{"coverage":[
		{"spec":"s","actions":[{"action":"A","count":3},{"action":"B","count":0},{"action":"Gone","count":1}],
			"transitions":[{"by":"A","from":"x","to":"y","count":2}]},
		{"spec":"silent","actions":[{"action":"Z","count":1},{"action":"Y","count":0}]}]}`
	r := report(of("s", 0, 1, 2, 9), of("new", 1, 0, 0, 0))
	if err := r.Compare("old.json", []byte(old)); err != nil {
		t.Fatal(err)
	}
	// s's clauses were not counted then; Gone is not s's any more.
	gained := []Changed{{"s", Item{Actions, "", "B", 1}}, {"new", Item{Actions, "", "A", 1}}}
	lost := []Changed{{"s", Item{Actions, "", "A", 0}}, {"silent", Item{Actions, "", "Z", 1}}}
	if fmt.Sprint(r.Against.Gained) != fmt.Sprint(gained) || fmt.Sprint(r.Against.Lost) != fmt.Sprint(lost) {
		t.Errorf("got %v", r.Against)
	}
	for _, bad := range []string{"", "[]", "{}", `{"coverage":[]}`, `{"coverage":3}`} {
		if report().Compare("old.json", []byte(bad)) == nil {
			t.Errorf("%q is taken for a report", bad)
		}
	}
}
