package swarmkit_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/specs/internal/oracle"
)

// claimOf reads "KIND ID ACTOR|- ACTION|-"; a task is sought in both states.
func claimOf(text string, from, to oracleState) claim {
	w := strings.Fields(text)
	o := object{kind: w[0], id: w[1]}
	for _, s := range []oracleState{from, to} {
		if t, ok := s.tasks[w[1]]; ok && w[0] == "task" {
			o = taskObject(w[1], t)
		}
	}
	return claim{o, strings.Trim(w[2], "-"), strings.Trim(w[3], "-")}
}

func TestBatchedToTheLetter(t *testing.T) {
	const up = "node n1 up; service web 1; "
	for _, c := range []struct {
		name, from, to string
		remade         string // the id of a task
		claims         []string
		want           answer
	}{
		{"a chain on one task", up + "task a web 1 - new running", up + "task a web 1 n1 running running", "", nil, yes},
		{"no chain back", up + "task a web 1 n1 running running", up + "task a web 1 - new running", "", nil, no},
		{"back by way of another, recreated", up + "task a web 1 n1 orphaned running", up + "task a web 1 - new running", "a", nil, yes},
		{"an updated object exists throughout", up + "task a web 1 n1 orphaned running", up + "task a web 1 - new running", "", nil, no},
		{"recreated must be deleted", up + "task a web 1 - new running", up + "task a web 1 - pending running", "a", nil, no},
		{"the replicas between are anyone's", "service web 1; task a web 1 - new running",
			"service web 2; task a web 1 - new remove", "", nil, yes},
		{"but not those of a service that stays", "service web 1; task a web 1 - new running",
			"service web 1; task a web 1 - new remove", "", nil, no},
		{"nor may the node change for it", "node n1 down; task a web 1 n1 ready running", "node n1 down; task a web 1 n1 running running", "", nil, no},
		{"a node that changes may come up first", "node n1 down; task a web 1 n1 ready running", "node n1 up; task a web 1 n1 running running", "", nil, yes},
		{"or go down last", "node n1 up; task a web 1 n1 ready running", "node n1 down; task a web 1 n1 running running", "", nil, yes},
		{"orphaned with all others of the node", "node n1 up; task a web 1 n1 running running; task b web 2 n1 running running",
			"node n1 down; task a web 1 n1 orphaned running; task b web 2 n1 running running", "", nil, no},
		{"a service with its tasks", "service web 1; task a web 1 - new running", "", "", nil, yes},
		{"the mode by way of removal only", "service web 1", "service web global", "", nil, no},
		{"a service from nothing to flagged", "", "service web 3 remove", "", nil, yes},
		{"two of a slot, the first long gone", up, up + "task a web 1 - new shutdown; task b web 1 - new ready", "", nil, yes},
		{"beyond the replicas", up, up + "task a web 1 - new running; task b web 2 - new running", "", nil, no},
		{"nothing changes", up, up, "", nil, yes},

		{"one of the actions", up + "task a web 1 - new running", up + "task a web 1 n1 accepted running", "",
			[]string{"task a scheduler -", "task a - AllocateTask", "task a agent ProgressTask"}, yes},
		{"none of the actions", up + "task a web 1 - new running", up + "task a web 1 n1 accepted running", "", []string{"task a - RestartTask"}, no},
		{"a detour for the claim", up + "task a web 1 n1 running shutdown", up + "task a web 1 n1 shutdown shutdown", "",
			[]string{"task a - ContainerExit"}, yes},
		{"the right actor of another object", "node n1 up; service web 1", "node n1 down; service web 2", "", []string{"node n1 user -"}, no},
		{"of its own", "node n1 up; service web 1", "node n1 down; service web 2", "", []string{"node n1 agent -", "service web user -"}, yes},
		{"what can stutter", up, up, "", []string{"node n1 - ContainerExit"}, yes},
		{"what cannot", up, up, "", []string{"node n1 - WorkerDown"}, no},
	} {
		b := batch{from: oracleStateOf(c.from), to: oracleStateOf(c.to), maxTerminated: 1, cap: 100000, remade: map[object]bool{}}
		if c.remade != "" {
			b.remade[taskObject(c.remade, b.from.tasks[c.remade])] = true
		}
		for _, text := range c.claims {
			b.claims = append(b.claims, claimOf(text, b.from, b.to))
		}
		if got := b.explained(); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestBatchedSearchStopsAtItsCap(t *testing.T) {
	b := batch{from: oracleStateOf("service web 1"), to: oracleStateOf("service web 1; task a web 1 - running running"), cap: 1}
	if got := b.explained(); got != unknown {
		t.Errorf("cut off, the search says %v", got)
	}
}

// smallBatch is a few steps of a small walk, at times with an end that no walk
// has.
func smallBatch(rng *rand.Rand) batch {
	w := walker{rng: rng, taskIDs: []string{"a", "b", "c"}, maxTerminated: rng.IntN(2)}
	w.state = randomState(rng, w.taskIDs)
	b := batch{from: w.state, maxTerminated: w.maxTerminated, cap: 2000}
	for range 1 + rng.IntN(4) {
		w.step()
	}
	b.to = w.state.clone()
	if tasks := b.to.allTasks(); len(tasks) > 0 && oracle.Chance(rng, 0.6) {
		id := oracle.Pick(rng, tasks)
		task := b.to.tasks[id]
		task.state, task.desired = oracle.Pick(rng, stateOrder[:8]), oracle.Pick(rng, desiredStates)
		b.to.tasks[id] = task
	}
	return b
}

// The few counts of replicas that the search tries on its way answer as all
// counts do.
func TestBatchedNeedsNoOtherReplicas(t *testing.T) {
	answers := map[answer]int{}
	for seed := range cases(200) {
		b := smallBatch(oracle.NewRand(seed))
		changed := differing(b.from, b.to)
		if !slices.ContainsFunc(slices.Collect(maps.Keys(changed)), func(o object) bool { return o.kind == "service" }) {
			continue // no count can change
		}
		all := b.universe()
		for n := range slices.Max(all.replicas) + 2 {
			all.replicas = append(all.replicas, n)
		}
		slices.Sort(all.replicas)
		all.replicas = slices.Compact(all.replicas)
		few, many := b.explained(), b.explainedIn(all)
		if few != unknown && many != unknown && few != many {
			t.Fatalf("seed %d: %v with few counts, %v with all\n%+v\n%+v", seed, few, many, b.from, b.to)
		}
		answers[many]++
	}
	if answers[yes] == 0 || answers[no] == 0 {
		t.Errorf("answers were %v: nothing was compared", answers)
	}
}

// In TLC's graph a batch is a path whose steps change nothing else. Claims and
// remade objects are milestones of the path; every order of them is tried, and
// both on one edge.
func TestBatchedAgreesWithTLC(t *testing.T) {
	g := tlc(t)
	rng := oracle.NewRand(6)
	answers := map[string]int{}
	for range exhaustive.Or(30, 120) {
		b, from, to := g.randomBatch(rng)
		got, want := b.explained(), g.path(b, from, to)
		if (got == yes) != want || got == unknown {
			t.Fatalf("%d -> %d, remade %v, claims %v: %v, in the graph %v", from, to, b.remade, b.claims, got, want)
		}
		answers[fmt.Sprint(want, len(b.remade) > 0, len(b.claims) > 0)]++
	}
	for _, kind := range []string{
		"true false false", "false false false", "true true false", "false true false", "true false true", "false false true",
	} {
		if answers[kind] == 0 {
			t.Errorf("no case of %q (explained, remade, claims) among %v", kind, answers)
		}
	}
}

// randomBatch joins two states a few steps, or any way, apart.
func (g *tlcGraph) randomBatch(rng *rand.Rand) (b batch, from, to int) {
	for from == to {
		from = rng.IntN(len(g.states))
		to = from
		for range 1 + rng.IntN(8) {
			to = oracle.Pick(rng, slices.Sorted(maps.Keys(g.edges[to])))
		}
		if oracle.Chance(rng, 0.1) {
			to = rng.IntN(len(g.states))
		}
	}
	b = batch{from: g.states[from], to: g.states[to], maxTerminated: g.model.maxTerminated, cap: 1 << 20, remade: map[object]bool{}}
	objects := slices.SortedFunc(maps.Keys(differing(b.from, b.to)), compareObjects)
	for range rng.IntN(3) {
		o := oracle.Pick(rng, objects)
		if b.from.value(o) != nil && b.to.value(o) != nil && o.kind != "node" && oracle.Chance(rng, 0.5) {
			b.remade[o] = true
		} else {
			l := oracle.Pick(rng, oracleActions).label
			b.claims = append(b.claims, claim{o, l.actor, oracle.Pick(rng, []string{"", l.action})})
		}
	}
	return b, from, to
}

// path decides the batch on the graph's own edges.
func (g *tlcGraph) path(b batch, from, to int) bool {
	may := differing(b.from, b.to)
	allowed := func(u, v int) bool {
		if !subset(differing(g.states[u], g.states[v]), may) {
			return false
		}
		for _, o := range g.states[u].objects() {
			if b.from.value(o) != nil && b.to.value(o) != nil && !b.remade[o] && g.states[v].value(o) == nil {
				return false
			}
		}
		return true
	}
	reach := func(set map[int]bool) map[int]bool {
		queue := slices.Collect(maps.Keys(set))
		for ; len(queue) > 0; queue = queue[1:] {
			for v := range g.edges[queue[0]] {
				if !set[v] && allowed(queue[0], v) {
					set[v] = true
					queue = append(queue, v)
				}
			}
		}
		return set
	}
	type milestone func(u, v int) bool
	after := func(set map[int]bool, m milestone) map[int]bool {
		past := map[int]bool{}
		for u := range set {
			for v := range g.edges[u] {
				if allowed(u, v) && m(u, v) {
					past[v] = true
				}
			}
		}
		return reach(past)
	}
	var ms []milestone
	for _, c := range b.claims {
		ms = append(ms, func(u, v int) bool {
			return differing(g.states[u], g.states[v])[c.object] &&
				slices.ContainsFunc(g.edges[u][v], func(action string) bool { return c.admits(labelOf(action)) })
		})
	}
	for o := range b.remade {
		ms = append(ms, func(_, v int) bool { return g.states[v].value(o) == nil })
	}
	set := reach(map[int]bool{from: true})
	switch len(ms) {
	case 0:
		return set[to]
	case 1:
		return after(set, ms[0])[to]
	default:
		both := func(u, v int) bool { return ms[0](u, v) && ms[1](u, v) }
		return after(after(set, ms[0]), ms[1])[to] || after(after(set, ms[1]), ms[0])[to] || after(set, both)[to]
	}
}

func labelOf(action string) label {
	for _, a := range oracleActions {
		if a.action == action {
			return a.label
		}
	}
	return label{action: action}
}
