package validators

import "slices"

// AllowanceDoc documents an allowance: what a profile lets pass that the text
// of the spec does not.
type AllowanceDoc struct {
	Name    string
	Actor   string // as of an action; "" where it relaxes a type, an invariant or a clause
	Doc     string
	Clauses []string
	Relaxes string // what of the text the steps in question contradict
	Source  string // where the behaviour comes from, in the system's own source
}

// Under returns the spec as the profile has it, for its documentation:
// ProfileSpec, which "" is, has neither allowances nor the temporal properties
// that come with them; ProfileMoby has some actions with other clauses.
func (s *Spec) Under(profile string) *Spec {
	if profile == ProfileMoby {
		moby := *s
		moby.Actions = slices.Clone(s.Actions)
		for _, a := range s.Counted {
			if i := slices.IndexFunc(moby.Actions, func(b ActionDoc) bool { return a.Name == b.Name }); i >= 0 {
				moby.Actions[i] = a
			}
		}
		return &moby
	}
	letter := *s
	letter.Allows, letter.Temporal = nil, nil
	for _, t := range s.Temporal {
		if t.Profile == "" {
			letter.Temporal = append(letter.Temporal, t)
		}
	}
	return &letter
}

// Allowance is an action that the text does not have.
type Allowance[P any] struct {
	Action[P]
	Relaxes string
	Source  string
}

// Describe returns the allowance as documentation, from the very value that
// judges.
func (a *Allowance[P]) Describe() AllowanceDoc {
	return AllowanceDoc{Name: a.Name, Actor: a.Actor, Doc: a.Doc, Clauses: texts(a.Clauses), Relaxes: a.Relaxes, Source: a.Source}
}

// Use says how often a spec's allowance was needed.
type Use struct {
	Spec  string `json:"spec"`
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// Uses counts the allowances that a machine needs, by name.
type Uses struct{ counts map[string]int }

// Add counts n uses. A nil Uses counts nothing.
func (u *Uses) Add(name string, n int) {
	if u == nil || n == 0 {
		return
	}
	if u.counts == nil {
		u.counts = map[string]int{}
	}
	u.counts[name] += n
}

// addTo adds the counts to those of the spec in the list, in the order in which
// the spec documents them.
func (u *Uses) addTo(list []Use, spec *Spec) []Use {
next:
	for i := range spec.Allows {
		name := spec.Allows[i].Name
		n := u.counts[name]
		if n == 0 {
			continue
		}
		for k := range list {
			if list[k].Spec == spec.Name && list[k].Name == name {
				list[k].Count += n
				continue next
			}
		}
		list = append(list, Use{Spec: spec.Name, Name: name, Count: n})
	}
	return list
}
