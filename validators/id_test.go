package validators

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"testing"
	"time"

	"tracecheck/internal/kinds"
	"tracecheck/trace"
)

func ids(found []Violation) []string {
	var list []string
	for i := range found {
		list = append(list, found[i].ID)
	}
	return list
}

// TestIDsDiffer: whatever of a violation's place differs, its id does.
func TestIDsDiffer(t *testing.T) {
	one, two := int64(1), int64(2)
	base := Violation{Stream: "s", File: "f", Line: 3, Seq: &one, Time: "2026-11-20T10:00:00Z", Spec: "p", Rule: "r"}
	bare := func(v *Violation, event string) (string, int) {
		v.Seq, v.Time, v.Events = nil, "", []Event{{"f", 2, []byte("{}")}, {"f", 3, []byte(event)}}
		return "", 0
	}
	seen := map[string]string{}
	for name, change := range map[string]func(v *Violation) (later string, nth int){
		"as it is":         func(v *Violation) (string, int) { return "", 0 },
		"stream":           func(v *Violation) (string, int) { v.Stream = "s2"; return "", 0 },
		"file":             func(v *Violation) (string, int) { v.File = "f2"; return "", 0 },
		"line":             func(v *Violation) (string, int) { v.Line = 4; return "", 0 },
		"seq":              func(v *Violation) (string, int) { v.Seq = &two; return "", 0 },
		"no seq":           func(v *Violation) (string, int) { v.Seq = nil; return "", 0 },
		"time":             func(v *Violation) (string, int) { v.Time = "2026-11-20T10:00:01Z"; return "", 0 },
		"no time":          func(v *Violation) (string, int) { v.Time = ""; return "", 0 },
		"neither":          func(v *Violation) (string, int) { v.Seq, v.Time = nil, ""; return "", 0 },
		"neither, event":   func(v *Violation) (string, int) { return bare(v, `{"id":"a"}`) },
		"neither, another": func(v *Violation) (string, int) { return bare(v, `{"id":"b"}`) },
		"spec":             func(v *Violation) (string, int) { v.Spec = "p2"; return "", 0 },
		"rule":             func(v *Violation) (string, int) { v.Rule = "r2"; return "", 0 },
		"shown later":      func(v *Violation) (string, int) { return "f:9 ", 0 },
		"shown even later": func(v *Violation) (string, int) { return "f:10 ", 0 },
		"the second":       func(v *Violation) (string, int) { return "", 1 },
		// A name may contain the separator of names.
		"stream and file": func(v *Violation) (string, int) { v.Stream, v.File = `s" "f`, ""; return "", 0 },
	} {
		v := base
		later, nth := change(&v)
		v.identify(later, nth)
		if raw, err := hex.DecodeString(v.ID); err != nil || len(raw) != 12 {
			t.Errorf("%s: id %q, want 12 bytes in hex", name, v.ID)
		}
		if other, is := seen[v.ID]; is {
			t.Errorf("%s and %s have one id", name, other)
		}
		seen[v.ID] = name
	}
	same := base
	same.Message, same.Nearest, same.LastLine = "in other words", []Near{{Action: "A"}}, 7
	same.identify("", 0)
	if seen[same.ID] != "as it is" {
		t.Error("the id depends on what is reported of the violation")
	}
}

// TestIDsAreTheSame: in one run or several, by one shard or several, event by
// event or all at once, what waits for longer than the deadline included, of
// which one event may show several.
func TestIDsAreTheSame(t *testing.T) {
	lines := []string{
		`a:u n c time="2026-11-20T10:00:00Z"`, `b:u n c`, `a:u m c`, `a:u l c tx=1`, `a:u k c tx=1`, `b:u n b`,
		`a:u n d time="2026-11-20T11:00:00Z"`, `b:s n z time="2026-11-20T11:00:00Z"`, `b:u n a`, `a:u n d time="2026-11-20T12:00:00Z"`,
	}
	var want []string
	for i := range 6 {
		opts := Options{Deadline: time.Minute, Shards: 1 + i%3, Specs: []*Spec{patience}}
		if i >= 3 {
			opts.Specs = []*Spec{tally("tally", kinds.Node)}
			if i == 3 {
				want = nil
			}
		}
		s := newScript(t, opts)
		var found []Violation
		if i%3 == 0 {
			s.push(1, lines...)
			found, _ = s.Take()
		}
		for n, line := range lines {
			if i%3 > 0 {
				s.push(n+1, line)
				more, _ := s.Take()
				if found = append(found, more...); i%3 > 1 {
					s.begin()
				}
			}
		}
		got := ids(found)
		slices.Sort(got)
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d: ids %q, want %q", i, got, want)
		}
		if len(slices.Compact(slices.Clone(got))) != len(got) || len(got) < 3 {
			t.Errorf("%d: %q, want several, all different", i, got)
		}
	}
}

// hindsight is a spec that finds in each update of "later" fault with the step
// at line 1.
func hindsight() *Spec {
	spec := tally("hindsight", kinds.Node)
	inner := spec.New
	spec.New = func(c Config) (Machine, error) {
		m, err := inner(c)
		return &hindsightful{m.(*tallier)}, err
	}
	return spec
}

type hindsightful struct{ *tallier }

func (m *hindsightful) Step(s *trace.Step) ([]Finding, bool, error) {
	if s.Events[0].ID != "later" {
		return nil, true, nil
	}
	at := trace.Pos{File: "f", Line: 1}
	return []Finding{{Kind: OfTransition, Rule: "Next", Pos: at, First: at, Last: at}}, true, nil
}

// TestIDsInHindsight: what two steps show of an earlier one is two violations.
func TestIDsInHindsight(t *testing.T) {
	r := runShort(t, Options{Specs: []*Spec{hindsight()}, KeepGoing: true}, "a:u n b\na:u later b\na:u later b")
	got := ids(r.Violations)
	if len(got) != 2 || got[0] == got[1] || r.Violations[1].Line != 1 {
		t.Errorf("%+v, want two of line 1", r.Violations)
	}
}

// TestIDsOfSnapshots: a file that is recreated may have the same snapshots at
// the same lines; their times tell them apart, as those of steps do.
func TestIDsOfSnapshots(t *testing.T) {
	var got []string
	for _, day := range []string{"20", "21"} {
		r := runShort(t, Options{}, `a:s n z time="2026-11-`+day+`T10:00:00Z"`)
		got = append(got, ids(r.Violations)...)
	}
	if len(got) != 2 || got[0] == got[1] {
		t.Errorf("ids %q, want two", got)
	}
	id := sha256.Sum256([]byte(`"a" "f" 1 "" "" "tally" "NotZ" 0 "2026-11-21T10:00:00Z"`))
	if !strings.HasPrefix(hex.EncodeToString(id[:]), got[1]) {
		t.Errorf("id %s, want the first 12 bytes of %x", got[1], id)
	}
}
