package bind_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "tracecheck/specs" // has the kind request
	"tracecheck/tlaplus/bind"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

const lockRequests = "../../testdata/tracespecs/lock-requests.yaml"

func load(t *testing.T, file string, o bind.Options) *bind.Bind {
	t.Helper()
	b, err := bind.Load(file, o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// changed is the bind file of the lock with its text changed, beside the module and a cfg.
func changed(t *testing.T, edit func(text string) string, cfg ...string) (*bind.Bind, error) {
	t.Helper()
	dir := t.TempDir()
	for _, text := range cfg {
		if err := os.WriteFile(filepath.Join(dir, "Lock.cfg"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{lockRequests: "bind.yaml", "../../testdata/tracespecs/Lock.tla": "Lock.tla"} {
		data, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		if to == "bind.yaml" {
			text = edit(text)
		}
		if err := os.WriteFile(filepath.Join(dir, to), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return bind.Load(filepath.Join(dir, "bind.yaml"), bind.Options{})
}

func meta(steps string) string {
	return `{"kind":"meta","object":{"spec":["updatecluster"],"steps":"` + steps + `"}}`
}

// request is a line about a client of the lock. tx and action may be left out.
func request(op, id, status, tx, action string) string {
	line := fmt.Sprintf(`{"kind":"request","op":%q,"id":%q`, op, id)
	if tx != "" {
		line += fmt.Sprintf(`,"tx":%q`, tx)
	}
	if action != "" {
		line += fmt.Sprintf(`,"action":%q`, action)
	}
	return line + fmt.Sprintf(`,"object":{"status":%q}}`, status)
}

func update(id, status string) string { return request("update", id, status, "", "") }

func TestObjects(t *testing.T) {
	b := load(t, lockRequests, bind.Options{})
	for _, c := range []struct {
		name  string
		lines []string
		want  string // of the first violation: its last line, kind and rule; "": none
		part  string // of its message
	}{
		{"begins in Init", []string{update("anna", "waiting"), update("anna", "processing"), update("anna", "idle")}, "", ""},
		{"the first in the queue is served first", []string{update("anna", "waiting"), update("bert", "waiting"), update("bert", "processing")},
			"3 transition Next", "Nearest is Acquire"},
		{"a step that changes nothing", []string{update("anna", "idle"), update("anna", "waiting"), update("anna", "waiting")}, "", ""},
		{"a queue that snapshots leave open", []string{request("snapshot", "anna", "waiting", "", ""), update("bert", "waiting"), update("anna", "processing")}, "", ""},
		{"a run of snapshots is one state", []string{request("snapshot", "anna", "waiting", "", ""), request("snapshot", "anna", "processing", "", ""),
			update("bert", "waiting"), update("anna", "idle")}, "", ""},
		{"two lines are one step", []string{request("update", "anna", "waiting", "1", ""), request("update", "bert", "waiting", "1", "")}, "2 transition Next", ""},
		{"batched, they are two", []string{meta("batched"), request("update", "anna", "waiting", "1", ""), request("update", "bert", "waiting", "1", ""),
			request("update", "bert", "processing", "2", "")}, "", ""},
		{"what does not differ stays throughout", []string{meta("batched"), update("anna", "processing"), update("bert", "waiting"), update("bert", "idle")}, "4 transition Next", ""},
		{"a claim", []string{request("update", "anna", "waiting", "", "Ask")}, "", ""},
		{"a wrong claim", []string{request("update", "anna", "waiting", "", "Acquire")}, "1 claim action", "Ask does"},
		{"an unknown claim", []string{request("update", "anna", "waiting", "", "Nothing")}, "1 claim action", "Nothing"},
		{"a claim of a batched step", []string{meta("batched"), request("update", "anna", "processing", "", "Ask")}, "", ""},
		{"a claim of what is no action", []string{request("update", "anna", "processing", "", "Waits")}, "1 claim action", "Waits, which is not an action of Lock"},
		{"a refusal that claims what is no action", []string{request("reject", "anna", "processing", "", "Waits")}, "1 claim action", ""},
		{"a wrong one", []string{meta("batched"), request("update", "anna", "processing", "", "Nothing")}, "2 claim action", ""},
		{"a claim of a step that changes nothing", []string{request("update", "anna", "idle", "", "Ask")}, "1 claim action", ""},
		{"a refusal changes nothing", []string{request("reject", "anna", "processing", "", "Ask"), update("anna", "waiting")}, "", ""},
		{"what is there is not created", []string{update("anna", "waiting"), request("create", "anna", "processing", "", "")}, "2 transition Next", "create of what exists"},
		{"what is always there does not go", []string{update("anna", "waiting"), request("delete", "anna", "", "", "")}, "2 transition Next", "always exists"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := validatorstest.Judge(t, validators.Options{Specs: []*validators.Spec{b.Spec}}, c.lines...)
			got, message := "", r.Reason
			if len(r.Violations) > 0 {
				v := &r.Violations[0]
				got, message = fmt.Sprintf("%d %s %s", v.LastLine, v.Kind, v.Rule), v.Message
			}
			if got != c.want || !strings.Contains(message, c.part) || c.want == "" && r.Verdict != validators.Conforming {
				t.Errorf("%s, %q (%s), want %s, %q", r.Verdict, got, message, c.want, c.part)
			}
		})
	}
}

// A silent action may be named without its parameters.
func TestObjectsSilentAction(t *testing.T) {
	for silent, want := range map[string]validators.Verdict{"Ask": validators.Conforming, "Release": validators.Violated} {
		b, err := changed(t, func(text string) string { return text + "silent: {actions: [" + silent + "], depth: 1}\n" })
		if err != nil {
			t.Fatal(err)
		}
		lines := []string{update("anna", "waiting"), update("anna", "processing"), update("anna", "idle"), update("anna", "processing")}
		if r := validatorstest.Judge(t, validators.Options{Specs: []*validators.Spec{b.Spec}}, lines...); r.Verdict != want {
			t.Errorf("with %s: %s %s, want %s", silent, r.Verdict, r.Reason, want)
		}
	}
}

// What the bind file does not say of a kind: it is not there from the start, and snapshots
// are no states.
func TestObjectsUnsaid(t *testing.T) {
	b, err := changed(t, func(text string) string {
		return strings.Replace(strings.Replace(text, "present: [request]\n", "", 1), "init: snapshots\n", "", 1)
	})
	if err != nil {
		t.Fatal(err)
	}
	opts := validators.Options{Specs: []*validators.Spec{b.Spec}}
	r := validatorstest.Judge(t, opts, update("anna", "waiting"))
	if len(r.Violations) != 1 || !strings.Contains(r.Violations[0].Message, "request anna: update of what does not exist") {
		t.Errorf("%s %+v", r.Verdict, r.Violations)
	}
	r = validatorstest.Judge(t, opts, request("create", "anna", "waiting", "", ""), request("delete", "anna", "", "", ""))
	if len(r.Violations) != 1 || r.Violations[0].LastLine != 2 { // nobody leaves the queue
		t.Errorf("%s %+v", r.Verdict, r.Violations)
	}
	r = validatorstest.Judge(t, opts, request("snapshot", "anna", "waiting", "", ""), update("anna", "processing"))
	if r.Verdict != validators.Unusable || !strings.Contains(r.Reason, "init: snapshots") {
		t.Errorf("%s %s", r.Verdict, r.Reason)
	}
}

// A refusal is justified by the state before its step, or by the one after.
func TestObjectsRefused(t *testing.T) {
	b, err := changed(t, func(text string) string {
		return text + "refused:\n  request: {Busy: '\\A c \\in DOMAIN refused.request : e.request[c].status = \"processing\" /\\ holder \\notin {Free, c}'}\n"
	})
	if err != nil {
		t.Fatal(err)
	}
	refusal := func(id, tx string) string { return request("reject", id, "processing", tx, "") }
	held := []string{update("anna", "waiting"), update("anna", "processing")}
	for _, c := range []struct {
		name  string
		lines []string
		want  int // the line of an unjustified refusal; 0: there is none
	}{
		{"another has it", append(held, refusal("bert", "")), 0},
		{"it has it itself", append(held, refusal("anna", "")), 3},
		{"nobody has it", []string{refusal("bert", "")}, 1},
		{"another has it before the step", append(held, refusal("bert", "1"), request("update", "anna", "idle", "1", "")), 0},
		{"another has it after the step", []string{held[0], request("update", "anna", "processing", "1", ""), refusal("bert", "1")}, 0},
		{"of two", append(held, refusal("bert", "1"), refusal("anna", "1")), 4},
		{"of what is asked, the rule says no", append(held, request("reject", "bert", "idle", "", "")), 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := validatorstest.Judge(t, validators.Options{Specs: []*validators.Spec{b.Spec}}, c.lines...)
			got, message := 0, r.Reason
			for i := range r.Violations {
				if v := &r.Violations[i]; v.Kind == validators.OfRejection && v.Rule == "Busy" {
					got, message = v.LastLine, v.Message
				}
			}
			if got != c.want || len(r.Violations) != min(c.want, 1) || got > 0 && !strings.Contains(message, "Busy does not justify the refusal: not ") {
				t.Errorf("line %d (%s), %d violations, want line %d", got, message, len(r.Violations), c.want)
			}
		})
	}
}

// A constant may be an operator with parameters, and rules may ask whether the steps are
// batched.
func TestObjectsDefined(t *testing.T) {
	b, err := changed(t, func(text string) string {
		return strings.Replace(text, "shown.request}", "shown.request, Waits(c): c = \"bert\"}", 1) + "refused:\n  request: {Late: batched}\n"
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		lines []string
		want  string // kind of the first violation; "": there is none
	}{
		{[]string{update("anna", "waiting")}, ""},
		{[]string{update("bert", "waiting")}, "transition"}, // waits already, says the bind file
		{[]string{request("reject", "anna", "waiting", "", "")}, "rejection"},
		{[]string{meta("batched"), request("reject", "anna", "waiting", "", "")}, ""},
	} {
		r := validatorstest.Judge(t, validators.Options{Specs: []*validators.Spec{b.Spec}}, c.lines...)
		got := ""
		if len(r.Violations) > 0 {
			got = string(r.Violations[0].Kind)
		}
		if got != c.want || r.Verdict == validators.Unusable {
			t.Errorf("%v: %s %q (%s), want %q", c.lines, r.Verdict, got, r.Reason, c.want)
		}
	}
}

// A batched search that is cut short gives no verdict.
func TestObjectsOutOfBudget(t *testing.T) {
	lines := []string{meta("batched")}
	for i := range 7 {
		lines = append(lines, request("update", fmt.Sprint("client", i), "waiting", "1", ""))
	}
	lines = append(lines, request("update", "client0", "gone", "2", ""))
	for _, c := range []struct {
		states int
		want   validators.Verdict
	}{{0, validators.Violated}, {50, validators.Unusable}} {
		b := load(t, lockRequests, bind.Options{MaxStates: c.states})
		r := validatorstest.Judge(t, validators.Options{Specs: []*validators.Spec{b.Spec}}, lines...)
		if r.Verdict != c.want || c.want == validators.Unusable && !strings.Contains(r.Reason, "--max-states") {
			t.Errorf("with %d states: %s %s", c.states, r.Verdict, r.Reason)
		}
	}
}

// A stream that is saved and restored between any two lines is judged as it is without.
func TestObjectsRestored(t *testing.T) {
	b := load(t, lockRequests, bind.Options{})
	for _, steps := range []string{"atomic", "batched"} {
		lines := strings.Join([]string{meta(steps), request("snapshot", "carl", "waiting", "", ""), update("anna", "waiting"), update("carl", "processing"), update("bert", "waiting"),
			update("carl", "idle"), update("bert", "processing"), update("bert", "idle"), request("create", "dora", "waiting", "", ""), update("anna", "processing")}, "\n")
		validatorstest.CutAll(t, steps, []byte(lines), validators.Options{Specs: []*validators.Spec{b.Spec}, KeepGoing: true})
	}
}

func TestObjectsFaults(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"init: snapshots", "init: first line", "init: first line is about other logs"},
		{"init: snapshots", "stream: e.id", "stream is about other logs"},
		{"present: [request]", "refused: {lock: {Busy: 'TRUE'}}", "refused names the kind lock"},
		{"present: [request]", "refused: {request: {Busy: nothing}}", "nothing"},
		{"Clients: shown.request", "Clients(1): shown.request", `"Clients(1)" is neither a name nor an operator`},
		{"present: [request]", "present: [lock]", "present names the kind lock"},
		{"  request: {status: '\"idle\"'}", "  a kind: {}", `"a kind" is not a valid kind`},
		{"present: [request]", "environment: [lock]", "environment names the kind lock"},
		{"init: snapshots", "environment: [request]", "it cannot be in environment"},
		{"init: snapshots", "required: {lock: [status]}", "required names the kind lock"},
		{"init: snapshots", "required: {request: [state]}", "required names the field state of request"},
		{"open:\n  queue:", "open:\n  'Len(queue)':", "open has variables"},
		{"present: [request]", "whole: [list]", "bind.yaml:4:9: whole has variables of the module"},
		{"objects:\n  request: {status: '\"idle\"'}\n", "", "present is about logs in the trace format"},
		{"'\"idle\"'", "nothing", "nothing"},
	} {
		key, _, _ := strings.Cut(c.new, ":")
		_, err := changed(t, func(text string) string {
			before, after, found := strings.Cut(text, c.old)
			if !found {
				t.Fatalf("the file has no %s", c.old)
			}
			if strings.HasPrefix(c.want, key+" names ") { // the fault is at the key
				c.want = fmt.Sprintf("bind.yaml:%d: %s", strings.Count(before, "\n")+1, c.want)
			}
			return before + c.new + after
		})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "bind.yaml") {
			t.Errorf("%s: %v, want %s", c.new, err, c.want)
		}
	}
}

// Streams share the compiled module, and nothing else.
func TestObjectsOfStreams(t *testing.T) {
	b := load(t, lockRequests, bind.Options{})
	var lines []string
	for _, l := range []string{update("anna", "waiting"), update("anna", "processing"), update("anna", "idle")} {
		for stream := range 40 {
			if stream == 7 && strings.Contains(l, "idle") {
				lines = append(lines, `{"stream":"s7",`+update("anna", "waiting")[1:])
				continue
			}
			lines = append(lines, strings.Replace(l, "{", fmt.Sprintf(`{"stream":"s%d",`, stream), 1))
		}
	}
	r := validatorstest.Judge(t, validators.Options{Specs: []*validators.Spec{b.Spec}, Shards: 1}, lines...)
	if len(r.Violations) != 1 || r.Violations[0].Stream != "s7" || r.Violations[0].LastLine != 88 {
		t.Errorf("%s %+v", r.Verdict, r.Violations)
	}
}

// The objects of a kind in environment come and go without a step.
func TestObjectsOutside(t *testing.T) {
	b, err := changed(t, func(text string) string {
		return strings.Replace(text, "present: [request]\n", "environment: [request]\n", 1)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		lines []string
		want  string // line and message of the violation
	}{
		{"one comes, and holds the lock", []string{request("create", "anna", "processing", "", ""), request("update", "anna", "idle", "", "Release")}, ""},
		{"it comes once", []string{request("create", "anna", "processing", "", ""), request("create", "anna", "idle", "", "")}, "2 create of what exists"},
		{"one goes with the lock", []string{request("create", "anna", "processing", "", ""), request("delete", "anna", "", "", ""), update("bert", "waiting"), update("bert", "processing")}, ""},
		{"beside a step", []string{update("bert", "waiting"), request("create", "anna", "idle", "1", ""), request("update", "bert", "processing", "1", "Acquire")}, ""},
		{"it is no step's", []string{request("create", "anna", "processing", "", "Acquire")}, "1 claim"},
		{"snapshots show all that are there", []string{request("snapshot", "anna", "idle", "", ""), update("bert", "waiting")}, "2 update of what does not exist"},
		{"a step of the module is still needed", []string{request("create", "anna", "idle", "", ""), update("anna", "processing")}, "2 no step"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := validatorstest.Judge(t, validators.Options{Specs: []*validators.Spec{b.Spec}}, c.lines...)
			got := ""
			if len(r.Violations) > 0 {
				got = fmt.Sprint(r.Violations[0].LastLine, " ", r.Violations[0].Message)
			}
			line, message, _ := strings.Cut(c.want, " ")
			if c.want == "" && r.Verdict != validators.Conforming || !strings.HasPrefix(got, line) || !strings.Contains(got, message) {
				t.Errorf("%s %s (%s), want %s", r.Verdict, got, r.Reason, c.want)
			}
		})
	}
}

// On the way of a batched step, what throughout says is TRUE.
func TestObjectsThroughout(t *testing.T) {
	for throughout, want := range map[string]validators.Verdict{
		"": validators.Conforming, "throughout: [Len(queue) <= 1]\n": validators.Conforming, "throughout: [queue = <<>>]\n": validators.Violated,
		"throughout: ['kept.request = {\"anna\"}']\n": validators.Conforming, "throughout: [Len(queue)]\n": validators.Unusable,
	} {
		b, err := changed(t, func(text string) string { return text + throughout })
		if err != nil {
			t.Fatal(err)
		}
		if r := validatorstest.Judge(t, validators.Options{Specs: []*validators.Spec{b.Spec}}, meta("batched"), update("anna", "processing")); r.Verdict != want {
			t.Errorf("%s: %s %s, want %s", throughout, r.Verdict, r.Reason, want)
		}
	}
}

// A constant follows the objects, also where it passes them to an operator.
func TestObjectsPassed(t *testing.T) {
	b, err := changed(t, func(text string) string {
		return strings.Replace(text, "shown.request", "'LET Of(all) == DOMAIN all.request IN Of(objects)'", 1)
	})
	if err != nil {
		t.Fatal(err)
	}
	if r := validatorstest.Judge(t, validators.Options{Specs: []*validators.Spec{b.Spec}}, update("anna", "waiting"), update("bert", "waiting")); r.Verdict != validators.Conforming {
		t.Errorf("%s %s %+v", r.Verdict, r.Reason, r.Violations)
	}
}
