package swarmkit

import (
	"slices"

	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/model"
)

// textSays and mobySays are what lines may claim: of the text, and under the profile.
var (
	textSays = &model.Vocabulary{
		Module: "SwarmKit", Spec: "swarmkit", Calls: "action",
		Kinds:  []trace.Kind{kindService, kindTask, kindNode},
		Actors: actors, Actions: model.NamesOf(next...),
	}
	mobySays = func() *model.Vocabulary {
		says := *textSays
		says.Beyond = model.NamesOf(allowances...)
		return &says
	}()
)

func (m *machine) says() *model.Vocabulary {
	if m.s.moby {
		return mobySays
	}
	return textSays
}

func (m *machine) changesClaimed(step *trace.Step) bool {
	return !m.batched || m.says().ChangesClaimed(step, m.by.Title(), m.count(), func(yield func(trace.Kind, string)) {
		for i := range m.tasks {
			yield(kindTask, m.tasks[i].id)
		}
		for i := range m.services {
			yield(kindService, m.services[i].id)
		}
		for i := range m.nodes {
			yield(kindNode, m.nodes[i].id)
		}
	})
}

// unplanned is the first claim that no action of the plan on its object meets, with those
// that there are; nil: there is none.
func (m *machine) unplanned(step *trace.Step) (ev *trace.Event, by []*action) {
	var all map[objectKey][]*action
	for _, ev := range m.says().Claims(step) {
		if all == nil {
			all = map[objectKey][]*action{}
			for _, p := range m.plan {
				all[p.objectKey] = append(all[p.objectKey], p.action)
			}
		}
		by := all[keyOf(ev)]
		if !slices.ContainsFunc(by, func(a *action) bool { return a.Title().Meets(ev) }) {
			return ev, by
		}
	}
	return nil, nil
}

// claims reports the claims that no action among those that explain the step
// meets. One action explains an atomic step, so it must meet them all.
func (m *machine) claims(step *trace.Step, explains func(*action) bool) (found []validators.Finding) {
	m.by, found = model.JudgeClaims(m.says(), step, m.by, next, explains, against, m.changes)
	return found
}

// against is what is against a claim that none of the actions meets.
func against(by []*action) string {
	if len(by) == 0 {
		return "nothing changes, and no action of that name can leave this state as it is"
	}
	return "the step is " + model.Alternatives(by, " or ")
}

// actors are the spec's components, in Next's order.
var actors = func() []string {
	var names []string
	for _, a := range next {
		names = append(names, a.Actor)
	}
	return slices.Compact(names)
}()
