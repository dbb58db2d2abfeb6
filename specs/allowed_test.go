package specs_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tracecheck/specs"
	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// relaxation is an allowance that is not an action: the rule of the text that it
// relaxes, and how a violation of that rule reads where it is the one.
type relaxation struct{ name, spec, rule, says string }

var relaxations = []relaxation{
	{"desired-complete", "swarmkit", "TypeOK", `desired_state "complete" is not in DesiredState`},
	{"desired-complete", "swarmkit", "TypeOK", `TasksTypeOK`}, // of a task that has it already
	{"task-outlives-service", "swarmkit", "Inv", `t.service \in DOMAIN services (there is no service`},
	{"shutdown-unassigned", "swarmkit", "Inv", `(State(t) = shutdown, t.node = unassigned)`},
	{"ports-reordered", "portallocator", "AllocationsOK", `ELSE spec = port`},
	{"ports-reordered", "portallocator", "Next", ``},
	{"reordered-on-leader-change", "portallocator", "AllocationsOK", `ELSE spec = port`},
	{"reordered-on-leader-change", "portallocator", "Next", ``},
	{"refused-for-host-port", "portallocator", "RejectJustified", ``},
	{"refused-as-malformed", "portallocator", "RejectJustified", ``},
}

// place is a step, by its first line, as one spec judges it.
type place struct {
	spec string
	line int
}

// underMoby is a recording's run under the profile moby.
type underMoby struct {
	*validators.Result
	explained map[place][]string
}

func judgeUnderMoby(t *testing.T, lines []line) *underMoby {
	t.Helper()
	m := &underMoby{explained: map[place][]string{}}
	m.Result = judgeWith(t, lines, validators.Options{KeepGoing: true,
		OnStep: func(step *trace.Step, spec string, explanation []string, _ []validators.Finding) {
			m.explained[place{spec, step.First().Line}] = explanation
		}})
	return m
}

// actions are the allowances among what explains the step.
func (m *underMoby) actions(at place) []string {
	var names []string
	for _, name := range m.explained[at] {
		if isAllowance(at.spec, name) {
			names = append(names, name)
		}
	}
	return names
}

// uses is how often the run needed the allowance.
func (m *underMoby) uses(spec, name string) int {
	for _, u := range m.Allowances {
		if u.Spec == spec && u.Name == name {
			return u.Count
		}
	}
	return 0
}

// allowed says which allowances let pass what is a violation by the text:
// actions, where it is the step that is wrong, and what relaxes the rule.
func (m *underMoby) allowed(v *validators.Violation) []string {
	var names []string
	if v.Kind == validators.OfTransition || v.Kind == validators.OfProperty {
		names = m.actions(place{v.Spec, v.FirstLine})
	}
	for _, r := range relaxations {
		if v.Spec == r.spec && v.Rule == r.rule && strings.Contains(v.Message, r.says) && m.uses(r.spec, r.name) > 0 {
			names = append(names, r.name)
		}
	}
	return names
}

// isAllowance says that the spec documents an allowance of that name.
func isAllowance(spec, name string) bool {
	for _, s := range specs.All() {
		if s.Name == spec {
			return slices.ContainsFunc(s.Allows(), func(a validators.AllowanceDoc) bool { return a.Name == name })
		}
	}
	return false
}

// Wherever a recording parts from the text, the profile moby has a
// named allowance for it. jobbug has one step without: the fault that it shows,
// finished tasks that are rejected, which no healthy swarm does.
func TestDeviationsAreAllowed(t *testing.T) {
	for _, r := range relaxations {
		if !isAllowance(r.spec, r.name) {
			t.Errorf("%s has no allowance %s", r.spec, r.name)
		}
	}
	for _, path := range recordings(t, recordingsDir()) {
		name := filepath.Base(path)
		lines := readLines(t, validatorstest.ReadTrace(t, path))
		strict := judgeWith(t, lines, validators.Options{Profile: validators.ProfileSpec, KeepGoing: true})
		moby := judgeUnderMoby(t, lines)
		if strict.Verdict != validators.Violated || strict.Steps != moby.Steps {
			t.Errorf("%s: %s, %d steps by the text and %d under moby %s", name, strict.Verdict, strict.Steps, moby.Steps, strict.Reason)
		}
		deviating, ports := map[place]bool{}, map[place]bool{}
		var without []int
		for i := range strict.Violations {
			v := &strict.Violations[i]
			at := place{v.Spec, v.FirstLine}
			deviating[at] = true
			if v.Spec == "portallocator" && len(moby.actions(at)) == 0 {
				ports[at] = true
			}
			if len(moby.allowed(v)) > 0 {
				continue
			}
			without = append(without, v.Line)
			if !strings.HasPrefix(name, "jobbug") {
				t.Errorf("%s:%d: no allowance for the %s %s: %s; moby explains the step by %v", name, v.Line, v.Kind, v.Rule, v.Message, moby.explained[at])
			}
		}
		if strings.HasPrefix(name, "jobbug") && !slices.Equal(without, []int{31}) {
			t.Errorf("%s: no allowance for the lines %v, want line 31 alone", name, without)
		}
		// A step about ports that needs no action needs one relaxation.
		relaxed := moby.uses("portallocator", "ports-reordered") + moby.uses("portallocator", "reordered-on-leader-change") +
			moby.uses("portallocator", "refused-for-host-port") + moby.uses("portallocator", "refused-as-malformed")
		if len(ports) != relaxed {
			t.Errorf("%s: %d steps about ports deviate by no action, and %d relaxations were needed", name, len(ports), relaxed)
		}
		t.Logf("%-22s %4d of %4d steps deviate", name, len(deviating), strict.Steps)
		if len(deviating) == 0 {
			t.Errorf("%s: nothing deviates", name)
		}
	}
}
