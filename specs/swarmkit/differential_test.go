package swarmkit_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tracecheck/internal/exhaustive"
	"tracecheck/specs/internal/oracle"
	"tracecheck/specs/internal/swarm"
	"tracecheck/specs/swarmkit"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// TestMachineAgreesWithOracle compares verdicts on random traces of larger
// models than TLC's graph: walks, their mutants, unreachable starts, claims,
// values outside their types, batched steps.
func TestMachineAgreesWithOracle(t *testing.T) {
	validatorstest.CheckOracle(t, swarmkit.Spec, 2000, 100, []string{"", "transition", "claim", "type"}, randomCase)
}

func randomCase(rng *rand.Rand) ([]string, validatorstest.Verdict) {
	lines, want := genCase(rng, randomOpts(rng))
	return lines, want
}

// TestWaitsFollowTheState: what waits after a trace is what waits in the state
// that it leads to. Snapshots cannot tell of nodes that are gone, nor of what a
// violation leaves unknown.
func TestWaitsFollowTheState(t *testing.T) {
	for seed := range validatorstest.Seeds(t, 300) {
		lines, _ := randomCase(oracle.NewRand(seed))
		if res := validatorstest.Judge(t, validators.Options{Specs: []*validators.Spec{swarmkit.Spec}}, lines...); len(res.Violations) > 0 {
			lines = lines[:res.Violations[0].FirstLine-1]
		}
		if !strings.Contains(strings.Join(lines, "\n"), `"kind":"node","op":"delete"`) {
			validatorstest.CheckWaits(t, swarmkit.Spec, lines)
		}
	}
}

// TestAttachAcceptsWhatConforms: a part of a trace that conforms, judged from its middle on,
// breaks nothing under --attach.
func TestAttachAcceptsWhatConforms(t *testing.T) {
	judged := 0
	for seed := range validatorstest.Seeds(t, 4000) {
		rng := oracle.NewRand(seed)
		o := randomOpts(rng)
		o.mutation = ""
		lines := genTrace(rng, o)
		if lines == nil || len(validatorstest.Judge(t, validators.Options{Specs: []*validators.Spec{swarmkit.Spec}}, lines...).Violations) > 0 {
			continue
		}
		lines = slices.DeleteFunc(lines, func(line string) bool { return strings.TrimSpace(line) == "" })
		from := 1 + rng.IntN(len(lines)-1)
		for ; from > 1; from-- {
			if tx := oracle.Parse(lines[from], 0).Tx; tx == nil || tx != oracle.Parse(lines[from-1], 0).Tx {
				break
			}
		}
		part := append([]string{lines[0]}, lines[from:]...)
		res := validatorstest.Judge(t, validators.Options{Specs: []*validators.Spec{swarmkit.Spec}, Attach: true}, part...)
		if judged += res.Steps; len(res.Violations) > 0 {
			t.Fatalf("seed %d: %+v\n%s", seed, res.Violations[0], strings.Join(part, "\n"))
		}
	}
	if judged == 0 {
		t.Error("no step was judged")
	}
	t.Logf("%d steps judged", judged)
}

// FuzzMachine compares the machine with the oracle on the case of any seed.
func FuzzMachine(f *testing.F) {
	f.Add(uint64(0))
	f.Fuzz(func(t *testing.T, seed uint64) { validatorstest.CompareOracle(t, swarmkit.Spec, seed, randomCase) })
}

// TestStepsAloneAsPairs: a step that gives one task another state, and perhaps a first node, is
// judged without a pair of states. A field that the spec does not read has it judged with one, and nothing else changes.
func TestStepsAloneAsPairs(t *testing.T) {
	compare := func(lines ...string) {
		t.Helper()
		paired := make([]string, len(lines))
		for i, line := range lines {
			paired[i] = onlyState.ReplaceAllString(line, "$1"+unread+"}")
		}
		for _, attach := range []bool{false, true} {
			opts := validators.Options{Specs: []*validators.Spec{swarmkit.Spec}, KeepGoing: true, Deadline: 50 * time.Millisecond, Attach: attach}
			a := asJSON(t, validatorstest.Judge(t, opts, lines...))
			b := strings.ReplaceAll(asJSON(t, validatorstest.Judge(t, opts, paired...)), unread, "")
			if a == b {
				continue
			}
			from := 0
			for from < min(len(a), len(b)) && a[from] == b[from] {
				from++
			}
			from = max(0, from-200)
			t.Fatalf("attach %v: the lines\n%s\ngive …%.400s\nas pairs …%.400s", attach, strings.Join(lines, "\n"), a[from:], b[from:])
		}
	}
	for seed := range validatorstest.Seeds(t, 2000) {
		lines, _ := randomCase(oracle.NewRand(seed))
		compare(lines...)
	}
	n := 0
	for _, before := range []aloneBefore{
		{service: true, status: "up", slot: "1", node: "n"}, {service: true, status: "down", slot: "1", node: "n"},
		{service: true, slot: "1"}, {status: "up", slot: "1", node: "n"}, {service: true, status: "up", slot: `"global"`, node: "n"},
		{service: true, status: "up", slot: "1", first: "n"}, {service: true, status: "down", slot: "1", first: "n"},
		{service: true, slot: "1", first: "n"}, {service: true, status: "up", slot: "1", node: "n", first: "n"},
		{service: true, status: "up", slot: `"global"`, first: "n"}, {service: true, status: "up", first: "n"}, {service: true, status: "up"},
	} {
		for _, claim := range []string{"", `"action":"ProgressTask",`, `"actor":"agent",`} {
			for from := range swarm.Orphaned + 1 {
				for desired := range swarm.Orphaned + 1 {
					if n++; n%exhaustive.Or(13, 1) != 0 {
						continue
					}
					var lines []string
					for to := range swarm.Orphaned + 1 {
						lines = append(lines, aloneLines(before, claim, from, desired, to)...)
					}
					compare(lines...)
				}
			}
		}
	}
}

// aloneBefore is what there is before a task gets another state.
type aloneBefore struct {
	service bool
	status  string // of the node n; "": there is none
	slot    string // of the task; "": only its state is known
	node    string // of the task
	first   string // the node that the task gets with the state; "": none
}

// aloneLines is a stream in which a task gets the state to.
func aloneLines(before aloneBefore, claim string, from, desired, to swarm.State) (lines []string) {
	add := func(format string, args ...any) {
		lines = append(lines, fmt.Sprintf(`{"stream":"%d",%s}`, to, fmt.Sprintf(format, args...)))
	}
	if before.service {
		replicas := "1"
		if before.slot == `"global"` {
			replicas = before.slot
		}
		add(`"kind":"service","op":"snapshot","id":"s","object":{"replicas":%s,"remove":false}`, replicas)
	}
	if before.status != "" {
		add(`"kind":"node","op":"snapshot","id":"n","object":{"state":%q}`, before.status)
	}
	if before.slot == "" {
		add(`"kind":"task","op":"update","id":"t","object":{"state":%q}`, from)
	} else {
		add(`"kind":"task","op":"snapshot","id":"t","object":{"service":"s","slot":%s,"node":%q,"state":%q,"desired_state":%q}`, before.slot, before.node, from, desired)
	}
	place := ""
	if before.first != "" {
		place = fmt.Sprintf(`"node":%q,`, before.first)
	}
	add(`"time":"2026-11-20T10:00:00Z","kind":"task","op":"update","id":"t",%s"object":{%s"state":%q}`, claim, place, to)
	for i, place := range []string{`2,"node":""`, `"global","node":"n"`} { // the second one depends on where the task is
		add(`"time":"2026-11-20T10:00:01Z","kind":"task","op":"create","id":"u%d","object":{"service":"s","slot":%s,"state":"new","desired_state":"running"}`, i, place)
	}
	return lines
}

const unread = `,"job_iteration":0`

var onlyState = regexp.MustCompile(`("object":\{(?:"node":"[^"]*",)?"state":"[a-z]*"(?:,"node":"[^"]*")?)\}`)

// asJSON leaves out the ids of violations, which depend on the lines' text.
func asJSON(t *testing.T, res *validators.Result) string {
	t.Helper()
	for i := range res.Violations {
		res.Violations[i].ID = ""
	}
	b, err := json.Marshal(res)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
