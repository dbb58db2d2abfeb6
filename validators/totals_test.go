package validators

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"tracecheck/internal/kinds"
	"tracecheck/trace"
)

// What outlives a restart beside violations and what waits.

// content is a tally with a desired state, all objects in "d", and an allowance
// that each step needs.
var content = func() *Spec {
	spec := tally("content", kinds.Node)
	inner := spec.New
	spec.Desired = true
	spec.Profiles = []Profile{{Name: "moby", Allows: []AllowanceDoc{{Name: "Ease"}}}}
	spec.New = func(c Config) (Machine, error) {
		m, err := inner(c)
		if err != nil {
			return nil, err
		}
		return &contented{m.(*tallier), c.Uses}, nil
	}
	return spec
}()

type contented struct {
	*tallier
	uses *Uses
}

func (m *contented) Step(s *trace.Step) ([]Finding, bool, error) {
	m.uses.Add("Ease", len(s.Events))
	return m.tallier.Step(s)
}

func (m *contented) InDesiredState() bool {
	for _, state := range m.state {
		if state != "d" {
			return false
		}
	}
	return true
}

// TestTotalsBothWays: what a result has of a stream besides its violations
// outlives restarts.
func TestTotalsBothWays(t *testing.T) {
	lines := []string{
		`a:u n d time="2026-11-20T10:00:00Z"`, `a:u n e`, `a:u m d`, `a:s n d time="2026-11-20T10:00:05Z"`, `a:u o d tx=1`, `a:u p d tx=1`, `b:u n a`,
	}
	const want = `[{"stream":"a","spec":"content","in_desired_state":true,"since_file":"f","since_line":4,"since_time":"2026-11-20T10:00:05Z"},` +
		`{"stream":"b","spec":"content","in_desired_state":false,"since_file":"f","since_line":7}] [{"spec":"content","name":"Ease","count":6}]`
	for _, restart := range []bool{false, true} {
		s := newScript(t, Options{Specs: []*Spec{content}})
		for i, line := range lines {
			s.push(i+1, line)
			if restart {
				s.begin()
			}
		}
		var now []StreamState
		s.Status(true, func(st *StreamStatus) { now = append(now, st.Desired...) })
		slices.SortFunc(now, func(a, b StreamState) int { return strings.Compare(a.Stream, b.Stream) })
		r := s.Finish()
		if !slices.Equal(now, r.Desired) {
			t.Errorf("restarts %v: status %+v, result %+v", restart, now, r.Desired)
		}
		var got []string
		for _, v := range []any{r.Desired, r.Allowances} {
			text, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(text))
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("restarts %v: got\n%s\nwant\n%s", restart, text, want)
		}
	}
}

// TestTimelessAfterRestart: that a deadline could not be applied is found at the
// end, whenever the stream began.
func TestTimelessAfterRestart(t *testing.T) {
	s := newScript(t, Options{Deadline: time.Minute})
	s.push(1, "a:u n b")
	s.begin()
	if r := s.Finish(); !strings.Contains(r.Reason, "has no event with a time") {
		t.Errorf("reason %q", r.Reason)
	}
}

// What was not set has no value to name.
func TestUnlike(t *testing.T) {
	unset, set := (&Options{}).Settings(), (&Options{Steps: Batched, Constants: map[string]string{"limit": "1"}}).Settings()
	if got, want := Unlike(unset, set), "steps not set; now steps batched; limit=1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := Unlike(set, unset), "steps batched; limit=1; now steps not set"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestSettings: what was saved under other settings is not gone on from.
func TestSettings(t *testing.T) {
	seen := map[string]string{}
	for name, o := range map[string]Options{
		"none":             {},
		"a spec":           {Select: []string{"a"}},
		"another":          {Select: []string{"b"}},
		"both":             {Select: []string{"a", "b"}},
		"the other first":  {Select: []string{"b", "a"}},
		"steps":            {Steps: Batched},
		"atomic steps":     {Steps: Atomic}, // a meta line may not differ
		"a profile":        {Profile: "moby"},
		"the text's":       {Profile: ProfileSpec},
		"attach":           {Attach: true},
		"keep going":       {KeepGoing: true},
		"a constant":       {Constants: map[string]string{"limit": "1"}},
		"another value":    {Constants: map[string]string{"limit": "2"}},
		"another constant": {Constants: map[string]string{"bound": "1"}},
		"two constants":    {Constants: map[string]string{"bound": "1", "limit": "1"}},
	} {
		text := o.Settings()
		if other, is := seen[text]; is {
			t.Errorf("%s and %s are the same: %s", name, other, text)
		}
		seen[text] = name
		o.Deadline, o.Shards, o.Budget, o.OnGap, o.Recover = time.Minute, 3, 7, gapResync, true
		if got := o.Settings(); got != text {
			t.Errorf("%s: %s, and %s with what the state does not depend on", name, text, got)
		}
	}
}
