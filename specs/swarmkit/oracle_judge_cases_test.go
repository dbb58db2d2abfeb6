package swarmkit_test

import (
	"slices"
	"strings"
	"testing"
)

// The verdicts below are read off the contract by hand; the lines are terse:
// "|" separates them, and names stand for whole events.
func TestJudgeToTheLetter(t *testing.T) {
	names := map[string]string{
		"atomic":   `{"kind":"meta","object":{"format":1,"steps":"atomic","constants":{"max_terminated":0}}}`,
		"batched":  `{"kind":"meta","object":{"format":1,"steps":"batched","constants":{"max_terminated":0}}}`,
		"up":       `{"kind":"node","op":"snapshot","id":"n1","object":{"state":"up"}}`,
		"web":      `{"kind":"service","op":"create","id":"web","object":{"replicas":1,"remove":false}}`,
		"was web":  `{"kind":"service","op":"snapshot","id":"web","object":{"replicas":1,"remove":false}}`,
		"t1":       `{"kind":"task","op":"create","id":"t1","object":{"service":"web","slot":1,"node":"","state":"new","desired_state":"running"}}`,
		"was t1":   `{"kind":"task","op":"snapshot","id":"t1","object":{"service":"web","slot":1,"node":null,"state":"new","desired_state":"running"}}`,
		"ran t1":   `{"kind":"task","op":"snapshot","id":"t1","object":{"service":"web","slot":1,"node":"n1","state":"running","desired_state":"running"}}`,
		"dead t1":  `{"kind":"task","op":"snapshot","id":"t1","object":{"service":"web","slot":1,"node":"n1","state":"failed","desired_state":"running"}}`,
		"lost t1":  `{"kind":"task","op":"snapshot","id":"t1","object":{"service":"web","slot":1,"node":"n1","state":"orphaned","desired_state":"running"}}`,
		"stray t1": `{"kind":"task","op":"snapshot","id":"t1","object":{"service":"web","slot":1,"node":"","state":"running","desired_state":"running"}}`,
		"del t1":   `{"kind":"task","op":"delete","id":"t1"}`,
	}
	task := func(id, fields, rest string) string {
		return `{"kind":"task","op":"update","id":"` + id + `","object":{` + fields + `}` + rest + `}`
	}
	names["pending"] = task("t1", `"state":"pending"`, "")
	names["pending, says the allocator"] = task("t1", `"state":"pending"`, `,"actor":"allocator"`)
	names["pending, says the agent"] = task("t1", `"state":"pending"`, `,"actor":"agent"`)
	names["pending, twice claimed"] = task("t1", `"state":"pending"`, `,"actor":"agent","action":"AllocateTask"`)
	names["pending, by Allocate"] = task("t1", `"state":"pending"`, `,"action":"Allocate"`)
	names["running, by Start"] = task("t1", `"state":"running"`, `,"action":"Start"`)
	names["running, says the agent"] = task("t1", `"state":"running","node":"n1"`, `,"actor":"agent"`)
	names["running, says the reaper"] = task("t1", `"state":"running","node":"n1"`, `,"actor":"reaper"`)
	names["assigned"] = task("t1", `"state":"assigned","node":"n1"`, "")
	names["assigned to a ghost"] = task("t1", `"state":"assigned","node":"ghost"`, "")
	names["to slot 2"] = task("t1", `"slot":2`, "")
	names["to slot 0"] = task("t1", `"slot":0`, "")
	names["t1 state 5"] = task("t1", `"state":5`, "")
	names["t1 unassigned"] = task("t1", `"node":null`, "")
	names["to be removed"] = task("t1", `"desired_state":"remove"`, "")
	names["restarted"] = task("t1", `"desired_state":"shutdown"`, `,"tx":7`)
	names["new as it was"] = task("t1", `"state":"new"`, "")
	replacement := `{"kind":"task","op":"create","id":"t2","tx":7,"object":{"service":"web","slot":1,"node":"","state":"new","desired_state":"ready"}}`
	names["its replacement"] = replacement
	names["its replacement later"] = strings.Replace(replacement, `"tx":7`, `"tx":"7"`, 1)
	names["del t1 in 8"] = `{"kind":"task","op":"delete","id":"t1","tx":8}`
	names["t1 again in 8"] = strings.Replace(names["t1"], `"op"`, `"tx":8,"op"`, 1)
	names["t1 renewed"] = task("t1", `"state":"new","node":""`, "")
	names["del web"] = `{"kind":"service","op":"delete","id":"web"}`
	names["-1 replicas"] = `{"kind":"service","op":"update","id":"web","object":{"replicas":-1}}`
	names["web again"] = `{"kind":"service","op":"update","id":"web","object":{"replicas":1}}`
	names["web again, by WorkerDown"] = `{"kind":"service","op":"update","id":"web","action":"WorkerDown","object":{"replicas":1}}`
	names["web again, by UpdateService"] = `{"kind":"service","op":"update","id":"web","action":"UpdateService","object":{"replicas":1}}`
	names["web again, by ContainerExit"] = `{"kind":"service","op":"update","id":"web","action":"ContainerExit","object":{"replicas":1}}`
	names["down"] = `{"kind":"node","op":"update","id":"n1","action":"WorkerDown","object":{"state":"down"}}`
	names["up again"] = `{"kind":"node","op":"update","id":"n1","object":{"state":"up"}}`
	names["n1 comes down"] = `{"kind":"node","op":"create","id":"n1","object":{"state":"down"}}`
	names["n1 goes"] = `{"kind":"node","op":"delete","id":"n1"}`
	for _, id := range []string{"t2", "t3", "t4", "t5", "t6"} {
		names["dead "+id] = strings.Replace(names["dead t1"], `"t1"`, `"`+id+`"`, 1)
	}
	names[""] = ""

	for _, c := range []struct {
		lines       string
		first, last int
		kinds       string
	}{
		{"atomic|up|web|t1|pending|assigned", 0, 0, ""},
		{"web|t1||pending", 0, 0, ""},
		{"web|t1||assigned", 4, 4, "invariant transition type"}, // no node was shown
		{"up|web|t1||assigned", 5, 5, "transition"},
		{"up|was web|was t1|pending, says the allocator", 0, 0, ""},
		{"up|was web|was t1|pending, says the agent", 4, 4, "claim"},
		{"up|was web|was t1|pending, twice claimed", 4, 4, "claim"},
		{"up|was web|was t1|pending, by Allocate", 4, 4, "claim"},
		{"up|was web|ran t1|up|running, by Start", 5, 5, "claim"},
		{"up|was web|was t1|running, says the agent", 4, 4, "transition"},

		{"web|pending", 2, 2, "transition"},
		{"web|t1|t1", 3, 3, "transition"},
		{"del web", 1, 1, "transition"},
		{"up|was web|was t1|to slot 2", 4, 4, "transition"},
		{"up|was web|was t1|del web", 4, 4, "invariant transition"},
		{"up|web|t1|pending|assigned to a ghost", 5, 5, "invariant transition type"},
		{"web|t1|to slot 0", 3, 3, "type"},
		{"web|t1|t1 state 5|del t1", 3, 3, "type"},
		{"web|-1 replicas", 2, 2, "type"},
		{"up|was web|stray t1|pending", 1, 3, "invariant"},
		{"up|was t1|was web|pending", 0, 0, ""},
		{"up|was t1||web", 1, 2, "invariant"},
		{"up|was web|ran t1|t1 unassigned", 4, 4, "invariant transition"},

		{"up|was web|ran t1|restarted|its replacement", 0, 0, ""},
		{"up|was web|ran t1|its replacement|restarted", 0, 0, ""},
		{"up|was web|ran t1|restarted|its replacement later", 4, 4, "transition"},
		{"up|was web|ran t1|restarted|web again|its replacement", 4, 4, "transition"},

		{"atomic|up|was web|dead t1|to be removed", 0, 0, ""},
		{"up|was web|dead t1|dead t2|dead t3|dead t4|dead t5|to be removed", 8, 8, "transition"}, // the limit is 5
		{"up|was web|dead t1|dead t2|dead t3|dead t4|dead t5|dead t6|to be removed", 0, 0, ""},

		{"down|up again|web", 0, 0, ""},
		{"up again|up again|down", 0, 0, ""},
		{"n1 comes down|up again|down|web", 0, 0, ""},
		{"up|was web|ran t1|n1 goes|web again", 0, 0, ""},
		{"up|was web|ran t1|n1 goes|n1 goes", 5, 5, "transition"},
		{"up|was web|n1 comes down", 3, 3, "transition"},

		{"up|was web|web again, by UpdateService|web again, by ContainerExit", 0, 0, ""},
		{"up|was web|web again, by WorkerDown", 3, 3, "claim"},
		{"batched|up|was web|web again, by WorkerDown", 4, 4, "claim"},
		{"batched|up|was web|web again, by ContainerExit", 0, 0, ""},
		{"batched|up|was web|was t1|running, says the agent", 0, 0, ""},
		{"batched|up|was web|was t1|running, says the reaper", 5, 5, "claim"},
		{"batched|up|was web|lost t1|del t1 in 8|t1 again in 8", 0, 0, ""},
		{"up|was web|lost t1|del t1 in 8|t1 again in 8", 4, 5, "transition"},
		{"batched|up|was web|lost t1|t1 renewed", 5, 5, "transition"},
		{"batched|up|was web|was t1|to slot 2", 5, 5, "transition"},
		{"up|was web|was t1|new as it was|was t1|pending", 0, 0, ""},
		{"up|was web|was t1|pending|was t1|stray t1||pending", 5, 6, "invariant"},
	} {
		var lines []string
		for _, name := range strings.Split(c.lines, "|") {
			line, ok := names[name]
			if !ok {
				t.Fatalf("no event %q", name)
			}
			lines = append(lines, line)
		}
		got := judge(lines, 10000)
		if got.First != c.first || got.Last != c.last || !slices.Equal(got.Kinds, strings.Fields(c.kinds)) || got.Unknown {
			t.Errorf("%s: %+v, want lines %d to %d, %q", c.lines, got, c.first, c.last, c.kinds)
		}
	}
}

// What the contract does not settle is open, not wanted.
func TestJudgeLeavesOpen(t *testing.T) {
	const web = `{"kind":"service","op":"create","id":"web","object":{"replicas":1,"remove":false}}`
	const task = `{"kind":"task","op":"create","id":"t1",%"object":{"service":"web","slot":1,"node":"","state":"#","desired_state":"running"}}`
	for _, c := range []struct{ claim, state, kinds, open string }{
		{`"action":"NoSuch",`, "pending", "transition", "claim"},
		{`"action":"Reaper",`, "pending", "transition", ""},
		{`"action":"NoSuch",`, "new", "claim", ""},
		{"", "bogus", "type", "claim invariant transition"},
	} {
		got := judge([]string{web, strings.NewReplacer("%", c.claim, "#", c.state).Replace(task)}, 100)
		if !slices.Equal(got.Kinds, strings.Fields(c.kinds)) || !slices.Equal(got.Open, strings.Fields(c.open)) {
			t.Errorf("%s %s: %+v, want %q, open %q", c.claim, c.state, got, c.kinds, c.open)
		}
	}
}

func TestVerdictAccepts(t *testing.T) {
	v := verdict{First: 3, Last: 4, Kinds: []string{"transition"}, Open: []string{"invariant"}}
	for _, c := range []struct {
		first, last int
		kinds       string
		want        bool
	}{
		{3, 4, "transition", true},
		{3, 4, "invariant transition transition", true},
		{3, 4, "invariant", false},
		{3, 4, "transition type", false},
		{3, 3, "transition", false},
		{2, 4, "transition", false},
		{0, 0, "", false},
	} {
		if got := v.Accepts(c.first, c.last, strings.Fields(c.kinds)); got != c.want {
			t.Errorf("lines %d to %d, %q: %v", c.first, c.last, c.kinds, got)
		}
	}
	if !(verdict{}).Accepts(0, 0, nil) || (verdict{}).Accepts(1, 1, []string{"claim"}) || (verdict{Unknown: true}).Accepts(0, 0, nil) {
		t.Error("a conforming trace has no violation, and an unknown verdict accepts nothing")
	}
}
