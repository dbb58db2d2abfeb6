package bind

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tracecheck/tlaplus/eval"
	"tracecheck/trace"
	"tracecheck/validators"
)

// examples are the bind files of examples/bind, by the folder of the logs.
var examples = map[string]string{"keyvaluestore": "keyvaluestore.yaml", "twophase": "twophase.yaml", "etcd-raft": "etcd-raft.yaml", "ewd998": "ewd998.yaml", "swarmkit": "swarmkit.yaml"}

// hard are the logs that name events alone and leave more open than the bounds allow.
var hard = map[string]bool{"twophase/12RM.E": true}

// TestTraces: TLC's verdict by the preset, on the logs that are at hand, without their
// trace specs.
func TestTraces(t *testing.T) {
	t.Parallel()
	material := os.Getenv("TRACECHECK_TLA")
	if material == "" {
		t.Skip("TRACECHECK_TLA does not name the folder of the TLA+ material")
	}
	f, err := os.Open(filepath.Join(material, "traces/expect.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var c struct {
			Case, Dir, Log, Verdict string
			Env                     map[string]string
			Furthest                *int
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		if examples[c.Dir] == "" {
			continue
		}
		t.Run(c.Case, func(t *testing.T) {
			dir := filepath.Join(material, "traces", c.Dir)
			b := example(t, c.Dir, dir, filepath.Join(dir, c.Env["CONFIG_PATH"]), Options{})
			r := judgeFile(t, b, filepath.Join(dir, c.Log))
			if strings.HasSuffix(c.Case, "VEA") {
				plain := example(t, c.Dir, dir, filepath.Join(dir, c.Env["CONFIG_PATH"]), Options{Without: ^eval.Shortcuts(0)})
				if p := judgeFile(t, plain, filepath.Join(dir, c.Log)); !reflect.DeepEqual(p, r) {
					t.Errorf("%+v, without short cuts %+v", r, p)
				}
			}
			want := map[string]string{"accepted": string(validators.Conforming), "rejected": fmt.Sprintf("violation at line %d", *c.Furthest+1)}[c.Verdict]
			got := string(r.Verdict)
			if len(r.Violations) > 0 {
				got += fmt.Sprintf(" at line %d", r.Violations[0].Line)
			}
			if hard[c.Case] && strings.Contains(r.Reason, "--max-states") {
				t.Logf("no verdict: %s", r.Reason)
				return
			}
			if got != want {
				t.Errorf("%s, want %s: %s %+v", got, want, r.Reason, r.Violations)
			}
		})
	}
}

// example is a bind file of examples/bind, with the module and the header beside it.
func example(t testing.TB, name, modules, header string, o Options) *Bind {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{}
	for _, pattern := range []string{"../../examples/bind/" + name + "*", modules + "/*.tla"} {
		list, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range list {
			files[filepath.Base(file)] = file
		}
	}
	if filepath.Ext(header) != "" {
		files["header.json"] = header
	}
	for to, from := range files {
		data, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, to), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	b, err := Load(filepath.Join(dir, examples[name]), o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func judgeFile(t *testing.T, b *Bind, log string) *validators.Result {
	t.Helper()
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	r, err := validators.NewRunner(validators.Options{Specs: []*validators.Spec{b.Spec}})
	if err != nil {
		t.Fatal(err)
	}
	list := events(t, b, string(data))
	push := func() error { return r.Push(list) }
	if o := b.Order(); o != nil {
		push = func() error { return cmp.Or(o.Each(list, r.Push), o.End()) }
	}
	if err := push(); err != nil {
		bad, ok := err.(*trace.Error)
		if !ok {
			t.Fatal(err)
		}
		r.Fail(bad)
	}
	return r.Finish()
}

// A leader of etcd-raft that commits more than its log has is found at that line.
func TestEtcdRaftCommitsTooMuch(t *testing.T) {
	material := os.Getenv("TRACECHECK_TLA")
	if material == "" {
		t.Skip("TRACECHECK_TLA does not name the folder of the TLA+ material")
	}
	dir := filepath.Join(material, "traces", "etcd-raft")
	data, err := os.ReadFile(filepath.Join(dir, "logs", "first1000.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	lines, changed := strings.Split(string(data), "\n"), 0
	for i, line := range lines {
		if i > 500 && strings.Contains(line, `"name":"Commit"`) {
			lines[i], changed = strings.Replace(line, `"commit":`, `"commit":9`, 1), i+1
			break
		}
	}
	log := filepath.Join(t.TempDir(), "log.ndjson")
	if err := os.WriteFile(log, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	r := judgeFile(t, example(t, "etcd-raft", dir, "", Options{}), log)
	if len(r.Violations) != 1 || r.Violations[0].Line != changed || !strings.Contains(r.Violations[0].Message, "AdvanceCommitIndex") {
		t.Errorf("%s %s %+v, want a violation at line %d", r.Verdict, r.Reason, r.Violations, changed)
	}
}

// A node of EWD998 that gets another token than was sent is found at its line, in the order
// of the clocks.
func TestEWD998WrongToken(t *testing.T) {
	material := os.Getenv("TRACECHECK_TLA")
	if material == "" {
		t.Skip("TRACECHECK_TLA does not name the folder of the TLA+ material")
	}
	dir := filepath.Join(material, "traces", "ewd998")
	data, err := os.ReadFile(filepath.Join(dir, "logs", "EWD998ChanTrace.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(data), "\n")
	const changed = 5
	if lines[changed-1] = strings.Replace(lines[changed-1], `"q":6`, `"q":7`, 1); !strings.Contains(lines[changed-1], `"event":"<"`) || !strings.Contains(lines[changed-1], `"q":7`) {
		t.Fatalf("line %d is another one: %s", changed, lines[changed-1])
	}
	log := filepath.Join(t.TempDir(), "log.ndjson")
	if err := os.WriteFile(log, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	r := judgeFile(t, example(t, "ewd998", dir, "", Options{}), log)
	if len(r.Violations) != 1 || r.Violations[0].Line != changed || !strings.Contains(r.Violations[0].Message, "inbox[e.pkt.rcv]") {
		t.Errorf("%s %s %+v, want a violation at line %d", r.Verdict, r.Reason, r.Violations, changed)
	}
}
