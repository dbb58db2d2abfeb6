package model_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/model"
	"tracecheck/validators/validatorstest"
)

// Jobs come and go: a user submits them, and a worker runs one at a time.
//
//	Submit(j) == job[j] = none      /\ job' = [job EXCEPT ![j] = "waiting"]
//	Start(j)  == job[j] = "waiting" /\ \A k : job[k] # "running" /\ job' = [job EXCEPT ![j] = "running"]
//	Finish(j) == job[j] = "running" /\ job' = [job EXCEPT ![j] = none]
//	Poll      == \E j : job[j] = "running" /\ UNCHANGED job
//
// Under the profile hasty a user drops a job that waits.

var (
	kindJob = trace.NewKind("job") // of a queue
	phases  = model.Names{"?", "waiting", "running"}
)

const (
	waiting uint8 = iota + 1
	running
)

type job struct{ Phase uint8 }

type queue struct {
	jobs    model.Rows[job]
	running int
}

type (
	jobChange = model.Change[job]
	jobAction = model.Action[queue, *jobChange]
	jobClause = model.Clause[queue, *jobChange]
)

var jobs = &model.Kind[queue, job]{
	Kind: kindJob, Rows: func(s *queue) *model.Rows[job] { return &s.jobs },
	Columns: []model.Column[queue, job]{model.Enum[queue](fieldState, phases, func(j *job) *uint8 { return &j.Phase })},
	Tally: func(s *queue, j *job, d int) {
		if j.Phase == running {
			s.running += d
		}
	},
}

func jobIs(phase uint8) jobClause {
	return model.Is[queue](jobs, "job[j]", func(j **jobChange) *jobChange { return *j }, phase)
}

func becomes(phase string) []model.Primed[queue, *jobChange] {
	return []model.Primed[queue, *jobChange]{{Text: "job' = [job EXCEPT ![j] = " + phase + "]", Of: []model.Group[queue]{jobs.Of(fieldState)}}}
}

func dropJob(name, actor string, of uint8) *jobAction {
	return &jobAction{
		Name: name, Actor: actor, Some: model.Changed(jobs), Guards: []jobClause{jobIs(of)},
		Effect: func(_ *queue, j **jobChange) { (*j).Delete() },
		Primed: []model.Primed[queue, *jobChange]{{Text: "job' = [job EXCEPT ![j] = none]", Of: []model.Group[queue]{jobs.Existence()}}},
	}
}

var jobsModel = &model.Model[queue, *jobChange]{
	Name: "jobs", Module: "Jobs", Actors: []string{"user", "worker"},
	Type:   validators.RuleDoc{Name: "TypeOK", Kind: validators.OfType},
	New:    func(validators.Config) (*queue, error) { return &queue{}, nil },
	Tables: []model.Table[queue]{jobs},
	Next: []*jobAction{
		{
			Name: "Submit", Actor: "user", Some: model.Changed(jobs),
			Guards: []jobClause{{Text: "job[j] = none", Holds: func(_ *queue, j **jobChange) bool { return !(*j).Exists() }}},
			Effect: func(_ *queue, j **jobChange) { (*j).Create().Phase = waiting },
			Primed: becomes("waiting"),
		},
		{
			Name: "Start", Actor: "worker", Some: model.Changed(jobs),
			Guards: []jobClause{jobIs(waiting), {Text: "none runs", Holds: func(s *queue, _ **jobChange) bool { return s.running == 0 }}},
			Effect: func(_ *queue, j **jobChange) { (*j).Write().Phase = running },
			Primed: becomes("running"),
		},
		dropJob("Finish", "worker", running),
		{
			Name: "Poll", Actor: "worker", Some: func(*queue, func(*jobChange) bool) {}, Effect: func(*queue, **jobChange) {},
			Stutters: func(s *queue) bool { return s.running > 0 },
		},
	},
	Profiles: []model.Profile[queue, *jobChange]{{
		Name: "hasty", Doc: "what users in a hurry do",
		Next: []model.Allowance[queue, *jobChange]{{Action: dropJob("drop", "user", waiting), Relaxes: "Finish"}},
	}},
}

var jobsSpec = jobsModel.Spec()

// TestLives: objects that actions create and delete. Each line is a step.
func TestLives(t *testing.T) {
	const (
		create = `{"kind":"job","op":"create","id":"a","object":{"state":"waiting"}}`
		start  = `{"kind":"job","op":"update","id":"a","object":{"state":"running"}}`
		drop   = `{"kind":"job","op":"delete","id":"a"}`
		wait   = `{"kind":"job","op":"update","id":"a","object":{"state":"waiting"}}`
	)
	for _, c := range []struct {
		name   string
		lines  []string
		c      validators.Config
		by     []string // of each step; "-": it is not judged
		broken string   // what the last says
	}{
		{"a life", []string{create, start, drop}, validators.Config{}, []string{"Submit", "Start", "Finish"}, ""},
		{"another of the name", []string{create, start, drop, create}, validators.Config{}, []string{"Submit", "Start", "Finish", "Submit"}, ""},
		{"created as what none is", []string{strings.Replace(create, "waiting", "running", 1)}, validators.Config{}, []string{""}, "job a is created. Nearest is Submit, but not: job' = [job EXCEPT ![j] = waiting]"},
		{"deleted though it waits", []string{create, drop}, validators.Config{}, []string{"Submit", ""}, "job a is deleted. Nearest is Finish, but not: job[j] = \"running\" (job[j] = waiting)"},
		{"changed after its end", []string{create, start, drop, wait}, validators.Config{}, []string{"Submit", "Start", "Finish", ""}, "update of a job that does not exist"},
		{"deleted twice", []string{create, start, drop, drop}, validators.Config{}, []string{"Submit", "Start", "Finish", ""}, "delete of a job that does not exist"},
		{"created twice", []string{create, create}, validators.Config{}, []string{"Submit", ""}, "create of a job that exists"},
		{"at first sight", []string{start, drop}, validators.Config{Attach: true}, []string{"-", "Finish"}, ""},
		{"at last sight", []string{drop, create}, validators.Config{Attach: true}, []string{"-", "-"}, ""},
		{"beyond the text", []string{create, drop}, validators.Config{Profile: "hasty"}, []string{"Submit", "drop"}, ""},
		{"within it", []string{create, start, drop}, validators.Config{Profile: "hasty"}, []string{"Submit", "Start", "Finish"}, ""},
	} {
		uses := &validators.Uses{}
		c.c.Uses = uses
		m, err := jobsSpec.New(c.c)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range c.lines {
			found, judged, err := m.Step(&trace.Step{Events: validatorstest.Events(t, line)})
			if by := strings.Join(m.Explanation(), " "); err != nil || judged != (c.by[i] != "-") || judged && by != c.by[i] {
				t.Errorf("%s: line %d is %q, %t, %v", c.name, i+1, by, judged, err)
			}
			switch last := i == len(c.lines)-1; {
			case (!last || c.broken == "") && len(found) > 0:
				t.Errorf("%s: line %d: %v", c.name, i+1, found)
			case last && c.broken != "" && (len(found) == 0 || !strings.Contains(found[0].Message, c.broken)):
				t.Errorf("%s: %v, want %q", c.name, found, c.broken)
			}
		}
	}
	under := jobsSpec.Under("hasty")
	if len(under.Allows()) != 1 || len(jobsSpec.Under("").Allows()) != 0 {
		t.Errorf("allowances under hasty %v, under none %v", under.Allows(), jobsSpec.Under("").Allows())
	}
}

// queueOf is the phases of two jobs; 0: there is none.
type queueOf [2]uint8

func (q queueOf) next() (list []queueOf) {
	for i, phase := range q {
		to := q
		switch {
		case phase == 0:
			to[i] = waiting
		case phase == running:
			to[i] = 0
		case q[1-i] != running:
			to[i] = running
		default:
			continue
		}
		list = append(list, to)
	}
	return list
}

// reaches says that actions lead from one to the other. One that stays is never
// gone on the way, one that comes again is, and one that does not differ stays as it is.
func (q queueOf) reaches(to queueOf, again [2]bool) bool {
	type node struct {
		q    queueOf
		gone [2]bool
	}
	start := node{q: q}
	seen, todo := map[node]bool{start: true}, []node{start}
	for ; len(todo) > 0; todo = todo[1:] {
		at := todo[0]
		if at.q == to && (!again[0] || at.gone[0]) && (!again[1] || at.gone[1]) {
			return true
		}
		for _, n := range at.q.next() {
			is := node{n, at.gone}
			ok := true
			for i := range n {
				is.gone[i] = is.gone[i] || n[i] == 0 && at.q[i] != 0
				lasts := q[i] != 0 && to[i] != 0 && !again[i]
				ok = ok && (n[i] == at.q[i] || q[i] != to[i]) && !(lasts && n[i] == 0)
			}
			if ok && !seen[is] {
				seen[is] = true
				todo = append(todo, is)
			}
		}
	}
	return false
}

// TestRecreated: of each pair of states, with each object that is there in both
// changed or deleted and created, whether it is a batched step.
func TestRecreated(t *testing.T) {
	steps, renewed := 0, 0
	for n := range 9 * 9 * 4 {
		from, to := queueOf{uint8(n % 3), uint8(n / 3 % 3)}, queueOf{uint8(n / 9 % 3), uint8(n / 27 % 3)}
		if from == (queueOf{running, running}) {
			continue
		}
		var before, lines []string
		var again [2]bool
		for i := range from {
			object := fmt.Sprintf(`"id":"%d","object":{"state":%q}}`, i, phases[max(to[i], 1)])
			if from[i] != 0 {
				before = append(before, fmt.Sprintf(`{"kind":"job","op":"snapshot","id":"%d","object":{"state":%q}}`, i, phases[from[i]]))
			}
			both := from[i] != 0 && to[i] != 0
			if both && n/81>>i&1 == 1 && from[i] != to[i] {
				again[i] = true
			}
			if from[i] != 0 && to[i] == 0 || again[i] {
				lines = append(lines, fmt.Sprintf(`{"kind":"job","op":"delete","id":"%d"}`, i))
			}
			if from[i] == 0 && to[i] != 0 || again[i] {
				lines = append(lines, `{"kind":"job","op":"create",`+object)
			} else if both {
				lines = append(lines, `{"kind":"job","op":"update",`+object)
			}
		}
		m, err := jobsSpec.New(validators.Config{Steps: validators.Batched, Budget: 100000})
		if err != nil {
			t.Fatal(err)
		}
		for _, ev := range validatorstest.Events(t, before...) {
			m.Snapshot(&ev)
		}
		m.SnapshotsEnd()
		found, _, err := m.Step(&trace.Step{Events: validatorstest.Events(t, lines...)})
		if want := from.reaches(to, again); err != nil || want != (len(found) == 0) {
			t.Errorf("%v to %v, recreated %v: %v %v, want a step: %t", from, to, again, found, err, want)
		} else if want && from != to {
			steps++
			renewed += b2i(again[0] || again[1])
		}
	}
	if steps < 40 || renewed < 8 {
		t.Errorf("%d steps, %d that create an object again", steps, renewed)
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestActors: a line may name the component whose step it is.
func TestActors(t *testing.T) {
	for _, c := range []struct {
		claims string
		steps  validators.Steps
		lines  []string
		want   []string // the rule, and some of the message
	}{
		{`"actor":"worker"`, validators.Atomic, nil, nil},
		{`"actor":"user"`, validators.Atomic, nil, []string{"actor", "claims the actor user, but the step is Start (worker)"}},
		{`"actor":"user","action":"Start"`, validators.Atomic, nil, []string{"actor", "claims the actor user"}},
		{`"actor":"worker","action":"Finish"`, validators.Atomic, nil, []string{"action", "claims the action Finish, but the step is Start (worker)"}},
		{`"actor":"boss"`, validators.Atomic, nil, []string{"actor", `has no actor "boss": it has user, worker`}},
		{`"actor":"boss","action":"Fire"`, validators.Atomic, nil, []string{"actor", `has no actor "boss"`, "action", `has no action "Fire"`}},
		{`"action":"drop"`, validators.Atomic, nil, []string{"action", `has no action "drop"`}},
		{`"actor":"worker"`, validators.Batched, nil, nil},
		{`"actor":"user"`, validators.Batched, nil, []string{"actor", "claims the actor user, but only Start changes it"}},
	} {
		m, err := jobsSpec.New(validators.Config{Steps: c.steps, Budget: 1000})
		if err != nil {
			t.Fatal(err)
		}
		line := `{"kind":"job","op":"update","id":"a",` + c.claims + `,"object":{"state":"running"}}`
		m.Snapshot(&validatorstest.Events(t, `{"kind":"job","op":"snapshot","id":"a","object":{"state":"waiting"}}`)[0])
		m.SnapshotsEnd()
		found, _, err := m.Step(&trace.Step{Events: validatorstest.Events(t, line)})
		is := err == nil && len(found) == len(c.want)/2
		for i := range found {
			is = is && found[i].Kind == validators.OfClaim && found[i].Rule == c.want[2*i] && strings.Contains(found[i].Message, c.want[2*i+1])
		}
		if !is {
			t.Errorf("%s %s: %v %v, want %q", c.steps, c.claims, found, err, c.want)
		}
	}
	// What changes nothing, once a job runs.
	for claims, want := range map[string]bool{`"actor":"worker"`: true, `"actor":"user"`: false, `"action":"Poll"`: true, `"actor":"user","action":"Poll"`: false} {
		m, err := jobsSpec.New(validators.Config{})
		if err != nil {
			t.Fatal(err)
		}
		m.Snapshot(&validatorstest.Events(t, `{"kind":"job","op":"snapshot","id":"a","object":{"state":"running"}}`)[0])
		m.SnapshotsEnd()
		found, _, err := m.Step(&trace.Step{Events: validatorstest.Events(t, `{"kind":"job","op":"update","id":"a",`+claims+`,"object":{}}`)})
		if err != nil || (len(found) == 0) != want {
			t.Errorf("%s of a step that changes nothing: %v %v, want it met: %t", claims, found, err, want)
		}
	}
	if names := validators.ProfileNames([]*validators.Spec{jobsSpec, lockSpec}); !slices.Equal(names, []string{"spec", "hasty"}) {
		t.Errorf("profiles %v", names)
	}
}
