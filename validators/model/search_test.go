package model_test

import (
	"fmt"
	"slices"
	"testing"

	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/model"
	"tracecheck/validators/validatorstest"
)

// An attempt fails and is made again, without a bound:
//
//	Fail(a)  == phase[a] = "running" /\ phase' = [phase EXCEPT ![a] = "waiting"] /\ UNCHANGED tries
//	Start(a) == phase[a] = "waiting" /\ phase' = [phase EXCEPT ![a] = "running"] /\ tries' = [tries EXCEPT ![a] = @ + 1]

var (
	kindAttempt = trace.NewKind("attempt")
	fieldTries  = trace.NewField("tries")
)

type attempt struct {
	Phase uint8
	Tries model.OptionalInt
}

type attempts struct{ all model.Rows[attempt] }

type attemptChange = model.Change[attempt]

var attemptKind = &model.Kind[attempts, attempt]{
	Kind: kindAttempt, Rows: func(s *attempts) *model.Rows[attempt] { return &s.all },
	Init: attempt{waiting, model.OptionalInt{Set: true}}, NoDelete: "attempts stay",
	Columns: []model.Column[attempts, attempt]{
		model.Enum[attempts](fieldState, phases, func(a *attempt) *uint8 { return &a.Phase }),
		model.OptInt[attempts](fieldTries, func(a *attempt) *model.OptionalInt { return &a.Tries }),
	},
}

func attemptGoes(name string, from, to uint8, tries int64) *model.Action[attempts, *attemptChange] {
	return &model.Action[attempts, *attemptChange]{
		Name: name, Some: model.Changed(attemptKind),
		Guards: []model.Clause[attempts, *attemptChange]{
			model.Is[attempts](attemptKind, "phase[a]", func(a **attemptChange) *attemptChange { return *a }, from),
		},
		Effect: func(_ *attempts, a **attemptChange) {
			r := (*a).Write()
			r.Phase, r.Tries.Value = to, r.Tries.Value+tries
		},
	}
}

func attemptsBy(next ...*model.Action[attempts, *attemptChange]) *validators.Spec {
	return (&model.Model[attempts, *attemptChange]{
		Name: "attempts", Module: "Attempts",
		Type:   validators.RuleDoc{Name: "TypeOK", Kind: validators.OfType},
		New:    func(validators.Config) (*attempts, error) { return &attempts{}, nil },
		Tables: []model.Table[attempts]{attemptKind},
		Next:   next,
	}).Spec()
}

var (
	fails       = attemptGoes("Fail", running, waiting, 0)
	starts      = attemptGoes("Start", waiting, running, 1)
	attemptSpec = attemptsBy(fails, starts)
)

// TestShortSequencesFirst: actions that lead on without an end do not hide the few that
// explain a step, and a step that has many actions is found, too.
func TestShortSequencesFirst(t *testing.T) {
	const (
		a1 = `{"kind":"attempt","op":"update","id":"a","object":{"state":"running","tries":1}}`
		b1 = `{"kind":"attempt","op":"update","id":"b","object":{"state":"running","tries":1}}`
		a9 = `{"kind":"attempt","op":"update","id":"a","object":{"state":"running","tries":9}}`
	)
	for _, c := range []struct {
		lines  []string
		starts int
		fails  int
	}{
		{[]string{a1, b1}, 2, 0},
		{[]string{a9}, 9, 8},
		{[]string{a9, b1}, 10, 8},
	} {
		m, err := attemptSpec.New(validators.Config{Steps: validators.Batched, Budget: 10000})
		if err != nil {
			t.Fatal(err)
		}
		found, judged, err := m.Step(&trace.Step{Events: validatorstest.Events(t, c.lines...)})
		by := m.Explanation()
		starts := len(slices.DeleteFunc(slices.Clone(by), func(name string) bool { return name != "Start" }))
		if err != nil || !judged || len(found) > 0 || starts != c.starts || len(by) != c.starts+c.fails {
			t.Errorf("%s is %q: %v %v", c.lines, by, found, err)
		}
	}
}

// TestBudgetOfManyObjects: a try among many objects costs more of the budget, since each
// state on the way is looked at as a whole.
func TestBudgetOfManyObjects(t *testing.T) {
	spec := attemptsBy(starts)
	for _, c := range []struct {
		objects, budget int
		ends            bool
	}{{4, 4, true}, {64, 64, false}, {64, 9 * 64, true}} {
		m, err := spec.New(validators.Config{Steps: validators.Batched, Budget: c.budget})
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for i := range c.objects {
			lines = append(lines, fmt.Sprintf(`{"kind":"attempt","op":"update","id":"a%d","object":{"state":"running","tries":1}}`, i))
		}
		found, _, err := m.Step(&trace.Step{Events: validatorstest.Events(t, lines...)})
		if (err == nil) != c.ends || len(found) > 0 {
			t.Errorf("%d objects, budget %d: %v, %v", c.objects, c.budget, found, err)
		}
	}
}
