package bind

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/trace"
	"tracecheck/validators"
)

// TestAheadOfRandomModules judges logs of random modules with steps made ahead and without.
// The findings have to be the same, with all that they say.
func TestAheadOfRandomModules(t *testing.T) {
	t.Parallel()
	taken, findings := 0, 0
	for seed := exhaustive.Or(uint64(9), 1); seed <= exhaustive.Or(uint64(12), 40); seed++ { // a share that is soon judged
		m := &randomModule{Rand: rand.New(rand.NewPCG(seed, 2))}
		dir := t.TempDir()
		m.write(t, dir)
		if err := os.WriteFile(filepath.Join(dir, "Random.cfg"), []byte("INIT Init\nNEXT Next\nINVARIANTS Inv0 Inv1 Inv2\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		b, err := Load(filepath.Join(dir, "bind.yaml"), Options{MaxStates: 20_000})
		if err != nil {
			t.Fatal(err)
		}
		list := events(t, b, m.log(t, dir, 40))
		want, _ := stepped(t, b, list, 1, nil)
		got, n := stepped(t, b, list, 12, nil)
		taken += n
		for _, text := range want {
			findings += strings.Count(text, "the step of this line breaks") + strings.Count(text, "no step of")
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("seed %d, with steps made ahead:\n%q\nwithout:\n%q", seed, got, want)
		}
	}
	if taken < 20 || findings == 0 {
		t.Errorf("%d steps made ahead, %d findings: too few to compare", taken, findings)
	}
}

// Lines that leave several states possible, and lines that the machine does not get, are
// judged the same with the next ones made ahead.
func TestAhead(t *testing.T) {
	const ask, grant, release, reset = `{"op":"Ask","args":["a"]}`, `{"op":"Grant"}`, `{"op":"Release","args":["a"],"held":[]}`, `{"op":"Reset"}`
	for _, c := range []struct {
		name    string
		lines   []string // over and over
		leftOut int      // of so many lines, the last
		taken   int      // at least
	}{
		{"one state", []string{ask, grant, release, reset}, 0, 80},
		{"any node asks", []string{ask, grant, release, `{"op":"Ask"}`, grant, `{"op":"Release","held":[]}`, reset}, 0, 0},
		{"who asks is seen", []string{ask, grant, release, reset, ask, grant, release, reset, ask, grant, release, reset, `{"op":"Ask"}`, `{"op":"Grant","held":["a"]}`, release, reset}, 0, 40},
		{"left out", []string{ask, grant, release, reset}, 25, 20},
		{"broken", []string{ask, grant, release}, 0, 60},
		{"no event", []string{ask, grant, release, reset, `{"note":1}`}, 0, 80},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := loaded(t, lockModule+calls+"when: ~(\"note\" \\in DOMAIN e)\nobserve: {held: e.held}\nsets: [e.held]\n", "INVARIANT Bounded\n", Options{})
			var log strings.Builder
			leftOut := map[int]bool{}
			for i := range 120 {
				log.WriteString(c.lines[i%len(c.lines)] + "\n")
				leftOut[i] = c.leftOut > 0 && i%c.leftOut == c.leftOut-1
			}
			list := events(t, b, log.String())
			want, _ := stepped(t, b, list, 1, leftOut)
			got, taken := stepped(t, b, list, 40, leftOut)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("with steps made ahead:\n%s\nwithout:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if taken < c.taken {
				t.Errorf("%d steps are made ahead, want %d or more", taken, c.taken)
			}
		})
	}
}

// stepped are the findings of a machine for each event, with its actions and its variables.
// It anticipates the next events each time that so many have been judged. taken is how many steps
// were made ahead. The machine does not get events that it has anticipated, but that are left out.
func stepped(t *testing.T, b *Bind, list []trace.Event, each int, leftOut map[int]bool) (texts []string, taken int) {
	t.Helper()
	of, err := b.machine(validators.Config{})
	if err != nil {
		t.Fatal(err)
	}
	m := of.(*machine)
	stop := func() {}
	defer func() { stop() }()
	for i := range list {
		if i%each == 0 && i > 0 && each > 1 {
			stop()
			stop = func() {}
			if m.p.ahead == nil {
				m.p.ahead = &ahead{lines: worthAhead}
				m.p.ahead.load(b, m.p, m.header)
			}
			if end := m.Anticipate(list[i:min(i+each, len(list))]); end != nil {
				stop = end
			}
		}
		if leftOut[i] {
			continue
		}
		if m.p != nil {
			m.p.json.raw = ""
		}
		found, judged, err := m.Step(&trace.Step{Events: list[i : i+1]})
		if m.p.json.raw == "" { // the line was not read here
			taken++
		}
		text := fmt.Sprintf("%v %v %v %v %d", judged, err, found, m.Explanation(), m.Possible())
		m.Objects(func(_ trace.Kind, id string, object []byte) { text += fmt.Sprintf(" %s=%s", id, object) })
		for _, v := range m.p.spec.Variables {
			text += fmt.Sprint(m.Writes(v))
		}
		if texts = append(texts, text); err != nil {
			break
		}
	}
	return texts, taken
}

// A run of lines is judged with the next ones made ahead: the violations are those of lines that
// are pushed one by one.
func TestAheadOfRun(t *testing.T) {
	var log strings.Builder
	for i := range 40 * worthAhead {
		switch i % 4 {
		case 0:
			log.WriteString(`{"op":"Ask","args":["a"]}` + "\n")
		case 1:
			log.WriteString(`{"op":"Grant","held":["a"]}` + "\n")
		case 2:
			log.WriteString(`{"op":"Release","args":["a"],"held":[]}` + "\n")
		case 3:
			log.WriteString(`{"op":"Reset"}` + "\n")
		}
		if i%700 == 650 {
			log.WriteString(`{"op":"Release","args":["b"]}` + "\n")
		}
	}
	var all []string
	for _, size := range []int{1, 1000} {
		b := loaded(t, lockModule+calls+"observe: {held: e.held}\nsets: [e.held]\n", "INVARIANT Bounded\n", Options{})
		list := events(t, b, log.String())
		r, err := validators.NewRunner(validators.Options{Specs: []*validators.Spec{b.Spec}, KeepGoing: true})
		if err != nil {
			t.Fatal(err)
		}
		for len(list) > 0 {
			n := min(size, len(list))
			if err := r.Push(list[:n]); err != nil {
				t.Fatal(err)
			}
			list = list[n:]
		}
		text := ""
		for _, v := range r.Finish().Violations {
			text += fmt.Sprintf("%d %s %s\n", v.Line, v.Rule, v.Message)
		}
		all = append(all, text)
	}
	if all[0] != all[1] || all[0] == "" {
		t.Errorf("in runs:\n%s\none by one:\n%s", all[1], all[0])
	}
}
