package bind

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/trace"
	"tracecheck/validators"
)

// Lines that wait take bounded memory: where it is used up, the first of them is named.
func TestOrderIsBounded(t *testing.T) {
	b := loaded(t, lockModule+"event: e.event\norder: {clock: e.vc, node: e.node}\n", "", Options{})
	o := b.Order()
	o.held.most = 50_000
	var log strings.Builder
	for i := range 200 {
		fmt.Fprintf(&log, `{"event":"x","node":1,"vc":{"1":%d,"2":1}}`+"\n", i+1)
	}
	out := 0
	err := o.Each(events(t, b, log.String()), func(list []trace.Event) error {
		out += len(list)
		return nil
	})
	if err == nil || out > 0 || !strings.Contains(err.Error(), "log:1") || !strings.Contains(err.Error(), "after time 1 of node 2") {
		t.Errorf("%d lines are out, %v", out, err)
	}
	if o.held.bytes > o.held.most+1000 {
		t.Errorf("%d bytes wait, want at most about %d", o.held.bytes, o.held.most)
	}
}

// The order is that of the log where the clocks leave it open, also for lines that come
// later than those they are before; nothing is held at the end. Cut anywhere, it is the same.
func TestOrder(t *testing.T) {
	const log = `{"id":"c1","node":"c","vc":{"a":2,"c":1}}
{"id":"b1","node":"b","vc":{"a":1,"b":1}}
{"id":"a1","node":"a","vc":{"a":1}}
{"id":"b2","node":"b","vc":{"a":1,"b":2}}
{"id":"a2","node":"a","vc":{"a":2}}
{"id":"c2","node":"c","vc":{"a":2,"b":2,"c":2}}`
	const want = "a1 b1 b2 a2 c1 c2"
	b := loaded(t, lockModule+"event: e.event\norder: {clock: e.vc, node: e.node}\n", "", Options{})
	all := events(t, b, log)
	for cut := range all {
		o := b.Order()
		var got []string
		do := func(list []trace.Event) error {
			for i := range list {
				got = append(got, list[i].Raw[7:9])
			}
			return nil
		}
		for _, part := range [][]trace.Event{all[:cut], all[cut:]} {
			if err := o.Each(part, do); err != nil {
				t.Fatal(err)
			}
		}
		if err := o.End(); err != nil || o.held.bytes != 0 || strings.Join(got, " ") != want {
			t.Errorf("cut at %d: %v, %v, %d bytes wait; want %s", cut, got, err, o.held.bytes, want)
		}
	}
}

// Two lines of one time are refused, also where both have waited.
func TestOrderTwice(t *testing.T) {
	b := loaded(t, lockModule+"event: e.event\norder: {clock: e.vc, node: e.node}\n", "", Options{})
	o := b.Order()
	out := 0
	err := o.Each(events(t, b, `{"node":"a","vc":{"a":2}}
{"node":"a","vc":{"a":2}}
{"node":"a","vc":{"a":1}}`), func(list []trace.Event) error {
		out += len(list)
		return nil
	})
	if err == nil || out != 2 || !strings.HasPrefix(err.Error(), "log:2: ") || !strings.Contains(err.Error(), "time 2 of node a has come before") {
		t.Errorf("%d lines are out, %v", out, err)
	}
}

// causal is a log of two locks, whose lines have clocks and come early or late. Some steps
// are none of the module, and where lose is, one line in so many is lost.
func causal(r *rand.Rand, lines, lose int) string {
	nodes := []string{"a", "b", "c"}
	held, asked := [2]string{}, [2][]string{}
	clocks := [2]map[string]map[string]int{}
	for i := range clocks {
		clocks[i] = map[string]map[string]int{"a": {}, "b": {}, "c": {}}
	}
	type line struct {
		text string
		at   int
	}
	var log []line
	for len(log) < lines {
		i, n := r.IntN(2), nodes[r.IntN(3)]
		op, args := "Ask", n
		switch {
		case held[i] == n:
			op, held[i] = "Release", ""
		case held[i] == "" && len(asked[i]) > 0 && asked[i][0] == n:
			op, args, held[i], asked[i] = "Grant", "", n, asked[i][1:]
		case held[i] == n || slices.Contains(asked[i], n):
			continue
		default:
			asked[i] = append(asked[i], n)
		}
		if r.IntN(40) == 0 {
			op, args = "Grant", ""
		}
		own := clocks[i][n]
		for _, other := range nodes {
			for _, k := range nodes { // in this order, so that a seed is one log
				if v := clocks[i][other][k]; v > 0 && r.IntN(8) > 0 {
					own[k] = max(own[k], v)
				}
			}
		}
		own[n] = clocks[i][n][n] + 1
		clock, _ := json.Marshal(own)
		text := fmt.Sprintf(`{"s":"%d","op":%q,"node":%q,"vc":%s`, i, op, n, clock)
		if args != "" {
			text += fmt.Sprintf(`,"args":[%q]`, args)
		}
		log = append(log, line{text + "}", len(log) + r.IntN(12)})
	}
	slices.SortStableFunc(log, func(a, b line) int { return cmp.Compare(a.at, b.at) })
	var b strings.Builder
	for _, l := range log {
		if lose == 0 || r.IntN(lose) > 0 {
			b.WriteString(l.text + "\n")
		}
	}
	return b.String()
}

// A stream whose lines are put in order as they come has the violations of the ordered log,
// also where it is saved and restored after each line.
func TestOrderResumed(t *testing.T) {
	const text = lockModule + "event: e.op\nstream: e.s\norder: {clock: e.vc, node: e.node}\n"
	b := loaded(t, text, "", Options{})
	runner := func(order bool) *validators.Runner {
		o := validators.Options{Specs: []*validators.Spec{b.Spec}, KeepGoing: true, Recover: true}
		if order {
			o.Order = b.StreamOrder()
		}
		r, err := validators.NewRunner(o)
		if err != nil {
			t.Fatal(err)
		}
		r.Expect([]string{"log"})
		return r
	}
	push := func(r *validators.Runner, list []trace.Event) {
		if err := r.Push(list); err != nil {
			t.Fatal(err)
		}
	}
	taken := func(r *validators.Runner) (list []string) {
		found, troubles := r.Take()
		for i := range found {
			v := &found[i]
			list = append(list, fmt.Sprint(v.Line, v.Rule, v.ID, v.Message, v.Nearest, v.State, v.History))
		}
		for _, t := range troubles {
			list = append(list, fmt.Sprint(t))
		}
		return list
	}
	violations, waited, stuck := 0, 0, 0
	for seed := range exhaustive.Or(uint64(3), 6) {
		lose := int(seed%3) * 30
		all := events(t, b, causal(rand.New(rand.NewPCG(seed, 7)), 70, lose))
		plain := runner(false)
		order := b.Order()
		if err := order.Each(all, func(list []trace.Event) error { push(plain, list); return nil }); err != nil {
			t.Fatal(err)
		}
		want := taken(plain)
		once := runner(true)
		push(once, all)
		got := taken(once)
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) || once.Counts().Steps != plain.Counts().Steps {
			t.Errorf("seed %d: %d steps, %q; of the ordered log %d, %q", seed, once.Counts().Steps, got, plain.Counts().Steps, want)
		}
		cut := runner(true)
		var again []string
		for i := range all {
			push(cut, all[i:i+1])
			again = append(again, taken(cut)...)
			states := map[string][]byte{}
			cut.Save(true, func(stream string, state []byte) { states[stream] = slices.Clone(state) })
			cut = runner(true)
			for _, stream := range slices.Sorted(maps.Keys(states)) {
				if err := cut.Restore(stream, states[stream]); err != nil {
					t.Fatal(err)
				}
				waited += cut.StatusOf(stream).Early
			}
		}
		slices.Sort(again)
		if !slices.Equal(again, want) {
			t.Errorf("seed %d: resumed at each line %q, want %q", seed, again, want)
		}
		violations += len(want)
		end, resumed := once.Finish(), cut.Finish()
		if bad := order.End(); bad != nil {
			stuck++
			if end.Verdict != validators.Unusable || !strings.Contains(end.Reason, "the log has no such line") || resumed.Reason != end.Reason {
				t.Errorf("seed %d: at the end %s, %s; resumed %s, want %v", seed, end.Verdict, end.Reason, resumed.Reason, bad)
			}
		} else if end.Verdict == validators.Unusable {
			t.Errorf("seed %d: at the end %s", seed, end.Reason)
		}
	}
	if violations < 5 || waited < 100 || stuck < 2 {
		t.Errorf("%d violations, %d lines waited, %d logs were stuck: the test shows nothing", violations, waited, stuck)
	}
}

// A stream whose lines wait for too much ends, with the first line that waits; the lines
// of others are judged.
func TestOrderOfStreamIsBounded(t *testing.T) {
	const text = lockModule + "event: e.op\nstream: e.s\norder: {clock: e.vc, node: e.node}\n"
	b := loaded(t, text, "", Options{})
	order := b.StreamOrder()
	small := func(w *validators.Workspace) validators.Orderer {
		o := order(w).(*streamOrder)
		o.held.most = 3000
		return o
	}
	r, err := validators.NewRunner(validators.Options{Specs: []*validators.Spec{b.Spec}, KeepGoing: true, Recover: true, Order: small})
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	log.WriteString(`{"s":"x","op":"Ask","args":["a"],"node":"a","vc":{"a":1}}` + "\n")
	for i := range 20 {
		fmt.Fprintf(&log, `{"s":"x","op":"Grant","node":"a","vc":{"a":%d}}`+"\n", i+3)
	}
	log.WriteString(`{"s":"y","op":"Grant","node":"a","vc":{"a":1}}`)
	if err := r.Push(events(t, b, log.String())); err != nil {
		t.Fatal(err)
	}
	found, troubles := r.Take()
	if len(found) != 1 || found[0].Stream != "y" || len(troubles) != 1 || troubles[0].Stream != "x" || !troubles[0].Final || troubles[0].Err.Pos.Line != 2 ||
		!strings.Contains(troubles[0].Err.Reason, "time 3 of node a, cannot be put in order: it comes after time 2 of node a") ||
		!strings.Contains(troubles[0].Err.Reason, "of which 3000 bytes are kept; complete the log, or remove order from") {
		t.Errorf("%+v, %v", found, troubles)
	}
	if st := r.StatusOf("x"); st.Early != 0 || st.Unusable == "" {
		t.Errorf("the stream is %+v", st)
	}
}
