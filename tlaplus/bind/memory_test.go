package bind

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/trace"
	"tracecheck/validators"
)

// What is kept grows with the possible states, and not with the lines: of strings that
// no state has, of objects with ever new fields, and of streams' names that are
// evaluated, nothing stays.
func TestMemoryIsThatOfTheFrontier(t *testing.T) {
	if exhaustive.Race {
		t.Skip("the race detector keeps what is gone")
	}
	few, many := 10_000, exhaustive.Or(30_000, 100_000)
	b := loaded(t, lockModule+calls+"stream: 'IF e.c > 1 THEN \"many\" ELSE e.name'\nobserve: {'Len(queue)': e.waiting}\n", "INVARIANT Bounded\n", Options{})
	r, err := validators.NewRunner(validators.Options{Specs: []*validators.Spec{b.Spec}, KeepGoing: true, Recover: true})
	if err != nil {
		t.Fatal(err)
	}
	d := b.Decoder()
	var heaps, states []int
	for n := 1; n <= many; n++ {
		step := []string{`"op":"Ask","args":["a"]`, `"op":"Ask"`, `"op":"Grant"`, `"op":"Release"`, `"op":"Grant"`, `"op":"Release"`, `"op":"Reset"`}[(n-1)%7]
		line := fmt.Sprintf(`{"c":1,"name":"s",%s,"at":"2026-11-23T%d","saw":{"peer%d":"x%d"}}`, step, n, n, n)
		events, err := d.Decode(nil, []byte(line), trace.Pos{File: "log", Line: n})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Push(events); err != nil {
			t.Fatal(err)
		}
		if found, troubles := r.Take(); len(found)+len(troubles) > 0 {
			t.Fatalf("line %d: %v, %v", n, found, troubles)
		}
		if n == few || n == many {
			runtime.GC()
			runtime.GC() // what is only weakly held is forgotten by the first
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			heaps = append(heaps, int(m.HeapAlloc))
			size := 0
			r.Save(true, func(_ string, state []byte) { size += len(state) })
			states = append(states, size)
		}
	}
	t.Logf("%d kB and a state of %d bytes after %d lines, %d kB and %d bytes after %d", heaps[0]>>10, states[0], few, heaps[1]>>10, states[1], many)
	if heaps[1] > heaps[0]+(1<<20) {
		t.Errorf("%d kB are held after %d lines, and %d kB after %d", heaps[0]>>10, few, heaps[1]>>10, many)
	}
	if states[1] > states[0]+1000 {
		t.Errorf("a state has %d bytes after %d lines, and %d after %d", states[0], few, states[1], many)
	}
}

// Streams that share programs are judged as each would be alone, by which the strings that
// others have do not matter.
func TestStreamsShareTheModule(t *testing.T) {
	const streams, lines = 3 * mostPrograms, 20
	b := loaded(t, lockModule+calls+"stream: e.c\nobserve: {'Len(queue)': e.waiting}\nactions: {first: 'Ask(CHOOSE n \\in e.of : TRUE)'}\nsets: [e.of]\n", "INVARIANT Bounded\n", Options{})
	random := rand.New(rand.NewPCG(1, 1))
	logs := make([][]string, streams)
	var all []string
	for range lines {
		for i := range streams {
			step := []string{`"op":"Ask","args":["a"]`, `"op":"Ask","args":["b"],"waiting":2`, `"op":"Grant"`, `"op":"Release"`, `"op":"Reset"`, ""}[random.IntN(6)]
			if step == "" {
				step = fmt.Sprintf(`"op":"first","of":["x%d","x%d"]`, 1+random.IntN(200), 1+random.IntN(200))
			}
			logs[i] = append(logs[i], fmt.Sprintf(`{"c":"s%d",%s}`, i, step))
			all = append(all, logs[i][len(logs[i])-1])
		}
	}
	found := func(log []string) map[string][]string {
		r, err := validators.NewRunner(validators.Options{Specs: []*validators.Spec{b.Spec}, KeepGoing: true, Shards: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Push(events(t, b, strings.Join(log, "\n"))); err != nil {
			t.Fatal(err)
		}
		list := map[string][]string{}
		for _, v := range r.Finish().Violations {
			list[v.Stream] = append(list[v.Stream], fmt.Sprint(string(v.Events[0].Raw), v.Message, v.Nearest, v.State))
		}
		return list
	}
	together, n := found(all), 0
	for i := range streams {
		name := fmt.Sprint("s", i)
		n += len(together[name])
		if alone := found(logs[i]); !slices.Equal(alone[name], together[name]) {
			t.Errorf("stream %d alone: %q, with others: %q", i, alone[name], together[name])
		}
	}
	if n < streams {
		t.Errorf("%d violations", n)
	}
}

// A condition for all pairs of a large set, in an action, keeps nothing for each pair.
func TestMemoryOfCondition(t *testing.T) {
	b := loaded(t, lockModule+calls+"actions: {Check: 'UNCHANGED vars /\\ \\A i \\in 1..500, j \\in 1..500 : i + j + Len(queue) > 0'}\n", "", Options{})
	list := events(t, b, `{"op":"Check"}`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := validators.NewRunner(validators.Options{Specs: []*validators.Spec{b.Spec}})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Push(list); err != nil {
		t.Fatal(err)
	}
	if res := r.Finish(); res.Verdict != validators.Conforming {
		t.Fatal(res.Verdict, res.Reason)
	}
	runtime.ReadMemStats(&after)
	if made := after.TotalAlloc - before.TotalAlloc; made > 16<<20 {
		t.Errorf("250,000 pairs take %d kB", made>>10)
	}
}
