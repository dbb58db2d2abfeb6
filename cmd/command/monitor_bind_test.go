//go:build unix

package command

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"tracecheck/ingest/kafka/kafkatest"
)

// A module is judged as the built-in specs are: from topics and files, with
// checkpoints, alerts and the page.

// boundModule writes a module, its cfg and a bind file into the folder, and returns the
// bind file's name.
func boundModule(t *testing.T, dir string) string {
	t.Helper()
	module, err := os.ReadFile("../../tlaplus/bind/testdata/Lock.tla")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"Lock.tla":  string(module),
		"Lock.cfg":  "INIT Init\nNEXT Next\nCONSTANT Max = 2\nCONSTANT Node = {\"a\", \"b\", \"c\"}\nINVARIANT Bounded\n",
		"lock.yaml": "module: Lock.tla\nstream: e.stream\nevent: e.op\nobserve: {held: e.held, 'Len(queue)': e.waiting}\nsets: [e.held]\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "lock.yaml")
}

// locked is one lock, as the module has it.
type locked struct {
	held  string
	queue []string
	count map[string]int
}

// step takes a random step, and returns what a log states of it.
func (l *locked) step(r *rand.Rand) string {
	nodes := []string{"a", "b", "c"}
	for {
		n := nodes[r.IntN(len(nodes))]
		op, args := "", ""
		switch r.IntN(4) {
		case 0:
			if n == l.held || slices.Contains(l.queue, n) {
				continue
			}
			op, args, l.queue = "Ask", n, append(l.queue, n)
		case 1:
			if l.held != "" || len(l.queue) == 0 {
				continue
			}
			op, l.held, l.queue = "Grant", l.queue[0], l.queue[1:]
		case 2:
			if l.held == "" {
				continue
			}
			op, args = "Release", l.held
			l.count[l.held]++
			l.held = ""
		default:
			if len(l.queue) > 0 || l.count["a"]+l.count["b"]+l.count["c"] < 4 {
				continue
			}
			op, l.count = "Reset", map[string]int{}
		}
		line := fmt.Sprintf(`"op":%q`, op)
		if args != "" && r.IntN(3) > 0 { // else the log states less
			line += fmt.Sprintf(`,"args":[%q]`, args)
		}
		if r.IntN(2) > 0 {
			line += fmt.Sprintf(`,"waiting":%d`, len(l.queue))
		}
		if l.held != "" && r.IntN(2) > 0 {
			line += fmt.Sprintf(`,"held":[%q]`, l.held)
		}
		return line
	}
}

// lockLines is a log of so many streams, in which some lines are missing.
func lockLines(seed uint64, streams, lines int) (log []string) {
	r := rand.New(rand.NewPCG(seed, 1))
	all := make([]locked, streams)
	for i := range all {
		all[i].count = map[string]int{}
	}
	for len(log) < lines {
		n := r.IntN(streams)
		if line := all[n].step(r); r.IntN(50) > 0 {
			log = append(log, fmt.Sprintf(`{"stream":"s%d",%s}`, n, line))
		}
	}
	return log
}

func TestMonitorBindKilled(t *testing.T) {
	t.Parallel()
	r := newRig(t, kafkatest.Start(t).ListenAddrs(), 3)
	r.killedAtRandom(4, lockLines(71, 12, 3000), r.stateFile(), "--bind", boundModule(t, r.dir))
}

// outOfOrder gives the lines vector clocks that have them in their order, and has some of
// them come early.
func outOfOrder(seed uint64, log []string) []string {
	r := rand.New(rand.NewPCG(seed, 2))
	clocks := map[string]*[2]int{}
	places := map[string]int{}
	for i, line := range log {
		stream := streamOf(line)
		if clocks[stream] == nil {
			clocks[stream] = &[2]int{}
		}
		c, writer := clocks[stream], r.IntN(2)
		c[writer]++
		log[i] = fmt.Sprintf(`%s,"node":"n%d","vc":{"n0":%d,"n1":%d}}`, strings.TrimSuffix(line, "}"), writer, c[0], c[1])
		places[log[i]] = i + r.IntN(100)
	}
	slices.SortStableFunc(log, func(a, b string) int { return places[a] - places[b] })
	return log
}

// boundOrder adds an order to the bind file, and returns its name.
func boundOrder(t *testing.T, bind string) string {
	t.Helper()
	f, err := os.OpenFile(bind, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("order: {clock: e.vc, node: e.node}\n"); err != nil {
		t.Fatal(err)
	}
	return bind
}

func TestMonitorBindOrderKilled(t *testing.T) {
	t.Parallel()
	r := newRig(t, kafkatest.Start(t).ListenAddrs(), 3)
	r.killedAtRandom(4, outOfOrder(73, lockLines(73, 12, 3000)), r.stateFile(), "--bind", boundOrder(t, boundModule(t, r.dir)))
}

// Lines wait for those before them, through a restart. Where one has no place, its stream
// ends.
func TestMonitorBindOrder(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	boundOrder(t, boundModule(t, d.dir))
	d.add(`{"stream":"x","op":"Grant","node":"b","vc":{"a":1,"b":1}}`, `{"stream":"x","op":"Grant","node":"b","vc":{"a":1,"b":2}}`,
		`{"stream":"y","op":"Ask","args":["a"],"node":"a","vc":{"a":1}}`)
	p := d.bound()
	d.caughtUp(p)
	for path, want := range map[string]string{"/api/streams": `"early":2,`, "/stream?name=x": "<dt>wait for earlier lines</dt><dd>2</dd>"} {
		if got := p.get(t, path); !strings.Contains(got, want) {
			t.Errorf("%s has no %s:\n%.4000s", path, want, got)
		}
	}
	d.stop(p)
	d.alerted("alerts")
	d.add(`{"stream":"x","op":"Ask","args":["a"],"node":"a","vc":{"a":1}}`, `{"stream":"y","op":"Grant","node":"a","vc":{"a":1}}`)
	p = d.bound()
	d.caughtUp(p)
	d.alerted("alerts", "violation x 2", "unusable y 5")
	if got := p.get(t, "/api/streams"); strings.Contains(got, "early") || !strings.Contains(got, "time 1 of node a has come before") {
		t.Errorf("the streams are %s", got)
	}
	d.stop(p)
}

// It is killed 50 times.
func TestRealMonitorBindKilled(t *testing.T) {
	r := newRig(t, kafkatest.Real(t), 3)
	r.killedAtRandom(66, lockLines(71, 12, 30_000), r.stateTopic(), "--bind", boundModule(t, r.dir))
}

// bound starts a monitor of the desk's log.
func (d *desk) bound(flags ...string) *process {
	d.t.Helper()
	return d.launch(append([]string{"monitor", "--follow", d.path("log"), "--bind", d.path("lock.yaml"), "--checkpoint", d.path("state"),
		"--checkpoint-every", "100ms", "--listen", "127.0.0.1:0", "--alerts", d.path("alerts")}, flags...))
}

// What is unusable in a stream stops none of the others, and ends the stream: a log of
// lines has no snapshots. What the page shows is what the machine states.
func TestMonitorBind(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	boundModule(t, d.dir)
	d.add(`{"stream":"x","op":"Ask","args":["a"]}`, `{"stream":"y","op":"Nonsense"}`, `{"stream":"y","op":"Grant"}`)
	p := d.bound()
	d.caughtUp(p)
	d.alerted("alerts", "unusable y 2")
	d.stop(p)
	d.add(`{"stream":"x","op":"Ask","args":["a"]}`, `{"stream":"y","op":"Grant"}`, `{"stream":"z","op":"Grant"}`)
	p = d.bound()
	d.caughtUp(p)
	d.alerted("alerts", "unusable y 2", "violation x 4", "violation z 6")
	var first struct{ ID string }
	if err := json.Unmarshal([]byte(strings.SplitN(d.read("alerts"), "\n", 3)[1]), &first); err != nil {
		t.Fatal(err)
	}
	for path, wants := range map[string][]string{
		"/violation/" + first.ID: {`no step of Lock explains Ask`, `queue[i] # n`, "Lock.tla:11:39", `&lt;&lt;&#34;a&#34;&gt;&gt;`, "line 1"},
		"/api/violations":        {`"history":[`, `"state":[`},
		"/api/streams":           {`"Nonsense\" has no entry under actions in `},
		"/metrics":               {`tracecheck_violations_total{rule="Next",spec="Lock"} 2`, "tracecheck_streams_unusable 1"},
		"/":                      {"Lock"},
	} {
		got := p.get(t, path)
		for _, want := range wants {
			if !strings.Contains(got, want) {
				t.Errorf("%s has no %s:\n%.4000s", path, want, got)
			}
		}
	}
	d.stop(p)
}

// A checkpoint of other texts is refused, with what has changed and what to do about it.
func TestMonitorBindChanges(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	boundModule(t, d.dir)
	d.add(`{"stream":"x","op":"Ask","args":["a"]}`)
	p := d.bound("--env", "N=1")
	d.caughtUp(p)
	texts := map[string]string{}
	for _, name := range []string{"Lock.tla", "Lock.cfg", "lock.yaml"} {
		texts[name] = d.read(name)
		d.write(name, texts[name]+"\n")
		if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		d.said(p, "made under other settings", len(texts))
		d.write(name, texts[name])
	}
	d.stop(p)
	for what, change := range map[string]func(){
		"module Lock.tla":     func() { d.write("Lock.tla", strings.Replace(texts["Lock.tla"], "queue # <<>>", "Len(queue) > 0", 1)) },
		"cfg Lock.cfg":        func() { d.write("Lock.cfg", strings.Replace(texts["Lock.cfg"], "Max = 2", "Max = 3", 1)) },
		"bind file lock.yaml": func() { d.write("lock.yaml", texts["lock.yaml"]+"constants: {Max: '4'}\n") },
	} {
		change()
		p := d.bound("--env", "N=1")
		if err := <-p.ended; err == nil {
			t.Errorf("%s: it goes on", what)
		}
		d.refused(p, what)
		for name, text := range texts {
			d.write(name, text)
		}
	}
	p = d.bound("--env", "N=2")
	<-p.ended
	d.refused(p, "IOEnv N")
	d.add(`{"stream":"x","op":"Ask","args":["a"]}`)
	p = d.bound("--env", "N=1") // as it was
	d.alerted("alerts", "violation x 2")
	d.stop(p)
	p = d.bound("--env", "N=2", "--start-over")
	d.caughtUp(p)
	d.stop(p)
}

// refused checks what a process has said that ended.
func (d *desk) refused(p *process, what string) {
	d.t.Helper()
	said := p.stderr.String()
	if !strings.Contains(said, "("+what+" ") || !strings.Contains(said, "; now "+what+" ") || !strings.Contains(said, "--start-over") || strings.Contains(said, "steps") {
		d.t.Errorf("want that %s has changed, and nothing else:\n%s", what, said)
	}
}

// A topic gives the violations that files give. Where the bind file has no stream, the
// key is it.
func TestValidateBindKafka(t *testing.T) {
	t.Parallel()
	r := newRig(t, kafkatest.Start(t).ListenAddrs(), 3)
	bind := boundModule(t, r.dir)
	lines := lockLines(72, 6, 600)
	r.produce(lines, 0)
	found := func(args ...string) (list []string) {
		status, stdout, stderr := tryRun(t.Context(), nil, append([]string{"validate", "--keep-going", "--output", "json"}, args...)...)
		var result struct {
			Violations []struct{ Stream, Rule, Message string }
		}
		if err := json.Unmarshal([]byte(stdout), &result); err != nil || status != 1 {
			t.Fatalf("%q: exit status %d, %v\n%s", args, status, err, stderr)
		}
		for _, v := range result.Violations {
			list = append(list, v.Stream+" "+v.Rule+" "+v.Message)
		}
		slices.Sort(list)
		return list
	}
	log := filepath.Join(r.dir, "log")
	if err := os.WriteFile(log, []byte(strings.Join(lines, "\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	want := found("--bind", bind, log)
	topic := []string{"--kafka", strings.Join(r.brokers, ","), "--topic", r.topic, "--until-end", "--bind"}
	if got := found(append(topic, bind)...); len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("of the topic %q, of the file %q", got, want)
	}
	text, err := os.ReadFile(bind)
	if err != nil {
		t.Fatal(err)
	}
	keyed := filepath.Join(r.dir, "keyed.yaml")
	if err := os.WriteFile(keyed, []byte(strings.Replace(string(text), "stream: e.stream\n", "", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := found(append(topic, keyed)...); !slices.Equal(got, want) {
		t.Errorf("by the keys %q, by the bind file %q", got, want)
	}
}

// A log in the trace format is judged by a module as by the built-in specs: through
// restarts, and from the next snapshots on where lines are missing.
func TestMonitorBindTraces(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, name := range []string{"Lock.tla", "lock-requests.yaml", "lock-requests.jsonl"} {
		text, err := os.ReadFile("../../testdata/tracespecs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		d.write(name, string(text))
	}
	lines := strings.Split(strings.TrimSpace(d.read("lock-requests.jsonl")), "\n")
	judged := func(more ...string) {
		d.add(more...)
		p := d.launch([]string{"monitor", "--follow", d.path("log"), "--bind", d.path("lock-requests.yaml"), "--steps", "atomic", "--checkpoint", d.path("state"),
			"--checkpoint-every", "100ms", "--listen", "127.0.0.1:0", "--alerts", d.path("alerts")})
		d.caughtUp(p)
		d.stop(p)
	}
	for _, line := range lines {
		judged(line)
	}
	d.alerted("alerts", "violation  6")
	judged(`{"kind":"request","op":"nonsense","id":"anna"}`, lines[5])
	judged(lines[0], strings.Replace(lines[2], "carl", "anna", 1))
	d.alerted("alerts", "violation  6", "unusable  7", "violation  10")
}
