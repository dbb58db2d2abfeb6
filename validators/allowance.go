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
	Relaxes string // the part of the text that such steps contradict
	Source  string // the system's source that has the behaviour
}

// ProfileSpec allows only what the text allows. "" means the same. A spec without the
// chosen profile is judged by its text alone.
const ProfileSpec = "spec"

// Profile is the text, and what a real system does beyond it.
type Profile struct {
	Name    string
	Doc     string         // what it allows: "what a healthy Docker swarm does beyond the text"
	Allows  []AllowanceDoc // their names are unique among all profiles
	Actions []ActionDoc    // these replace the text's actions of the same names: the profile has other clauses
}

// profile returns the spec's profile with the name, or nil.
func (s *Spec) profile(name string) *Profile {
	for i := range s.Profiles {
		if s.Profiles[i].Name == name {
			return &s.Profiles[i]
		}
	}
	return nil
}

// Allows returns the allowances of all profiles of the spec.
func (s *Spec) Allows() (list []AllowanceDoc) {
	for i := range s.Profiles {
		list = append(list, s.Profiles[i].Allows...)
	}
	return list
}

// Under returns the documentation of the spec under the profile, without the other
// profiles.
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

// Profiles lists the profiles of the specs by name. ProfileSpec comes first.
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

// ProfileNames returns the names of Profiles.
func ProfileNames(specs []*Spec) (names []string) {
	for _, p := range Profiles(specs) {
		names = append(names, p.Name)
	}
	return names
}

func checkProfile(name string, specs []*Spec) error {
	if name == "" {
		return nil
	}
	names := ProfileNames(specs)
	if slices.Contains(names, name) {
		return nil
	}
	return fmt.Errorf("unknown profile %q: expected %s%s", name, strings.Join(names, " or "), nearest.Hint(name, names))
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

// Use is the number of steps that needed a spec's allowance.
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
	if len(u.counts) == 0 { // as in most streams
		return list
	}
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
