package validators

import (
	"fmt"
	"slices"
	"strings"

	"tracecheck/internal/nearest"
)

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

// ProfileSpec, which "" is, too, allows only what the text allows. A spec that does not
// have a profile of this name is judged by its text alone.
const ProfileSpec = "spec"

// Profile is the text, and what a real system does beyond it.
type Profile struct {
	Name    string
	Doc     string         // what it allows: "what a healthy Docker swarm does beyond the text"
	Allows  []AllowanceDoc // whose names are not those of another profile's
	Actions []ActionDoc    // in place of the text's of the same names: it judges them by other clauses
}

// profile is the spec's profile of the name; nil: it has none.
func (s *Spec) profile(name string) *Profile {
	for i := range s.Profiles {
		if s.Profiles[i].Name == name {
			return &s.Profiles[i]
		}
	}
	return nil
}

// Allows are the allowances of all its profiles.
func (s *Spec) Allows() (list []AllowanceDoc) {
	for i := range s.Profiles {
		list = append(list, s.Profiles[i].Allows...)
	}
	return list
}

// Under returns the spec as the profile has it, for its documentation: without
// what other profiles have.
func (s *Spec) Under(profile string) *Spec {
	under := *s
	under.Profiles, under.Temporal = nil, nil
	if p := s.profile(profile); p != nil {
		under.Profiles = []Profile{*p}
		under.Actions = slices.Clone(s.Actions)
		for _, a := range p.Actions {
			if i := slices.IndexFunc(under.Actions, func(b ActionDoc) bool { return a.Name == b.Name }); i >= 0 {
				under.Actions[i] = a
			}
		}
	}
	for _, t := range s.Temporal {
		if t.Profile == "" || t.Profile == profile {
			under.Temporal = append(under.Temporal, t)
		}
	}
	return &under
}

// Profiles lists the profiles of the specs, ProfileSpec first, by their names.
func Profiles(specs []*Spec) []Profile {
	list := []Profile{{Name: ProfileSpec, Doc: "only what the TLA+ text allows"}}
	for _, s := range specs {
		for _, p := range s.Profiles {
			if !slices.ContainsFunc(list, func(q Profile) bool { return p.Name == q.Name }) {
				list = append(list, Profile{Name: p.Name, Doc: p.Doc})
			}
		}
	}
	return list
}

// ProfileNames are the names of Profiles.
func ProfileNames(specs []*Spec) (names []string) {
	for _, p := range Profiles(specs) {
		names = append(names, p.Name)
	}
	return names
}

func checkProfile(name string, specs []*Spec) error {
	names := ProfileNames(specs)
	if name == "" || slices.Contains(names, name) {
		return nil
	}
	return fmt.Errorf("unknown profile %q: want %s%s", name, strings.Join(names, " or "), nearest.Hint(name, names))
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
	for _, a := range spec.Allows() {
		name := a.Name
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
