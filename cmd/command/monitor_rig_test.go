//go:build unix

package command

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"tracecheck/ingest/kafka/kafkatest"
	"tracecheck/monitor/alert"
	"tracecheck/monitor/board"
)

// rig is a topic, and monitors of it as processes that can be killed.
type rig struct {
	t          *testing.T
	brokers    []string
	topic      string
	partitions int
	dir        string
	bin        string
	client     *kgo.Client
	started    int
	ends       []int64 // of the partitions
}

// patience is how long a rig waits for what must come.
const patience = 2 * time.Minute

func newRig(t *testing.T, brokers []string, partitions int) *rig {
	t.Helper()
	r := &rig{
		t: t, brokers: brokers, topic: kafkatest.Topic(t), partitions: partitions, dir: t.TempDir(),
		client: kafkatest.Client(t, brokers, kgo.RequestRetries(1000), kgo.ProduceRequestTimeout(5*time.Second)), ends: make([]int64, partitions),
	}
	r.bin = commandIn(t, r.dir)
	t.Logf("topic %s", r.topic)
	kafkatest.CreateTopic(t, r.client, r.topic, int32(partitions))
	return r
}

// commandIn returns the name in the folder by which the test's binary is the
// command.
func commandIn(t *testing.T, dir string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "tracecheck")
	if err := os.Symlink(self, bin); err != nil {
		t.Fatal(err)
	}
	return bin
}

// process is a monitor that runs.
type process struct {
	name   string
	cmd    *exec.Cmd
	stderr *output
	ended  chan error
	url    string
}

// start runs a monitor with the flags beside those about the topic.
func (r *rig) start(flags ...string) *process {
	r.t.Helper()
	return r.launch(append([]string{
		"monitor", "--kafka", strings.Join(r.brokers, ","), "--topic", r.topic, "--checkpoint-every", "200ms", "--listen", "127.0.0.1:0",
		"--alerts", filepath.Join(r.dir, fmt.Sprintf("alerts-%d.jsonl", r.started+1)),
	}, flags...))
}

// launch runs the command.
func (r *rig) launch(args []string) *process {
	r.t.Helper()
	r.started++
	p := &process{name: fmt.Sprintf("monitor %d", r.started), stderr: &output{}, ended: make(chan error, 1)}
	p.cmd = exec.Command(r.bin, args...)
	p.cmd.Stderr, p.cmd.Stdout = p.stderr, p.stderr
	if err := p.cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	go func() { p.ended <- p.cmd.Wait() }()
	r.t.Cleanup(func() {
		p.cmd.Process.Kill() // may have ended
		if r.t.Failed() {
			r.t.Logf("%s:\n%s", p.name, p.stderr.String())
		}
	})
	return p
}

// kill ends the process as a crash does.
func (r *rig) kill(p *process) {
	r.t.Helper()
	if err := p.cmd.Process.Kill(); err != nil {
		r.t.Fatalf("%s: %v\n%s", p.name, err, p.stderr.String())
	}
	<-p.ended
}

// stop ends the process as an operator does, who sees that it has begun: before
// that, a signal ends it as it ends any process.
func (r *rig) stop(p *process) {
	r.t.Helper()
	for end := time.Now().Add(patience); p.stderr.String() == "" && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		r.t.Fatalf("%s: %v", p.name, err)
	}
	select {
	case err := <-p.ended:
		if err != nil {
			r.t.Errorf("%s ended with %v\n%s", p.name, err, p.stderr.String())
		}
	case <-time.After(patience):
		r.t.Fatalf("%s does not end", p.name)
	}
}

// produce appends the lines, each to the partition of its stream, at most so
// many a second; 0: no bound.
func (r *rig) produce(lines []string, rate int) {
	r.t.Helper()
	for len(lines) > 0 {
		n := len(lines)
		if rate > 0 {
			n = min(n, max(1, rate/20))
			time.Sleep(time.Second / 20)
		}
		records := make([]*kgo.Record, n)
		for i, line := range lines[:n] {
			stream := streamOf(line)
			h := fnv.New32a()
			io.WriteString(h, stream)
			partition := int(h.Sum32() % uint32(r.partitions))
			records[i] = kafkatest.Message(r.topic, partition, stream, line)
			r.ends[partition]++
		}
		lines = lines[n:]
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		err := r.client.ProduceSync(ctx, records...).FirstErr()
		cancel()
		if err != nil {
			r.t.Fatalf("cannot produce: %v", err)
		}
	}
}

var named = regexp.MustCompile(`"stream":"([^"]*)"`)

func streamOf(line string) string {
	if m := named.FindStringSubmatch(line); m != nil {
		return m[1]
	}
	return ""
}

// caughtUp waits until the processes, and no others, have judged all there is.
func (r *rig) caughtUp(processes ...*process) {
	r.t.Helper()
	said := ""
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		at, failed := map[string]string{}, ""
		for _, p := range processes {
			o, err := p.overview()
			if err != nil {
				failed += fmt.Sprintf("; %s: %v", p.name, err)
				continue
			}
			for _, part := range o.Parts {
				if part.State == board.Judging {
					at[part.Name] = part.Position
				}
			}
		}
		want := map[string]string{}
		for i, end := range r.ends {
			if end > 0 {
				want[fmt.Sprintf("kafka:%s/%d", r.topic, i)] = strconv.FormatInt(end, 10)
			}
		}
		maps.DeleteFunc(at, func(name, _ string) bool { return want[name] == "" })
		if maps.Equal(at, want) {
			return
		}
		said = fmt.Sprintf("judged up to %v, want %v%s", at, want, failed)
	}
	for _, p := range processes {
		said += "\n" + p.name + ":\n" + p.stderr.String()
	}
	r.t.Fatalf("not caught up: %s", said)
}

// shared waits until each of the processes judges some part.
func (r *rig) shared(processes ...*process) {
	r.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		judging := 0
		for _, p := range processes {
			if o, err := p.overview(); err == nil && slices.ContainsFunc(o.Parts, func(part shownPart) bool { return part.State == board.Judging }) {
				judging++
			}
		}
		if judging == len(processes) {
			return
		}
		if time.Now().After(end) {
			r.t.Fatalf("of %d monitors, %d judge something", len(processes), judging)
		}
	}
}

// overview asks the process how it does.
func (p *process) overview() (*shown, error) {
	if p.url == "" {
		m := served.FindStringSubmatch(p.stderr.String())
		if m == nil {
			return nil, fmt.Errorf("it has not said where it serves its page")
		}
		p.url = m[1]
	}
	resp, err := http.Get(p.url + "/api/overview")
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var o shown
	return &o, json.NewDecoder(resp.Body).Decode(&o)
}

// shown is what the rig reads of /api/overview.
type shown struct {
	Parts   []shownPart
	Reasons []string
}

type shownPart struct {
	Name, Position string
	State          board.State
	Lag            *int64
	Checkpoint     string
	Pause          float64 `json:"checkpoint_pause_seconds"`
	Took           float64 `json:"checkpoint_seconds"`
	Bytes          float64 `json:"checkpoint_bytes"`
}

var served = regexp.MustCompile(`(http://127\.0\.0\.1:\d+)`)

// alerted are the ids of the violations that all the monitors have alerted of, and the
// alerts by id.
func (r *rig) alerted() ([]string, map[string]alert.Alert) {
	r.t.Helper()
	ids := map[string]alert.Alert{}
	for n := 1; n <= r.started; n++ {
		data, err := os.ReadFile(filepath.Join(r.dir, fmt.Sprintf("alerts-%d.jsonl", n)))
		if err != nil && !os.IsNotExist(err) {
			r.t.Fatal(err)
		}
		for line := range bytes.Lines(data) {
			var a alert.Alert
			if err := json.Unmarshal(line, &a); err != nil {
				if n < r.started || bytes.HasSuffix(line, []byte{'\n'}) {
					continue // cut off when it was killed: alerted again by the next
				}
				r.t.Fatalf("%q: %v", line, err)
			}
			if a.Kind == alert.OfViolation {
				ids[a.ID] = a
			}
		}
	}
	return slices.Sorted(maps.Keys(ids)), ids
}

// same holds what was reported against one undisturbed validate of the topic.
func (r *rig) same(flags ...string) {
	r.t.Helper()
	status, stdout, stderr := tryRun(r.t.Context(), nil, append([]string{
		"validate", "--kafka", strings.Join(r.brokers, ","), "--topic", r.topic, "--until-end", "--keep-going", "--output", "json",
	}, flags...)...)
	var result struct {
		Verdict    string
		Events     int64
		Violations []struct{ ID, Stream, Spec, Rule string }
	}
	if err := json.Unmarshal([]byte(stdout), &result); err != nil || status != 1 {
		r.t.Fatalf("validate: exit status %d, %v\n%s", status, err, cmp.Or(stderr, stdout))
	}
	want := map[string]string{}
	for _, v := range result.Violations {
		want[v.ID] = fmt.Sprintf("stream %s, %s %s", v.Stream, v.Spec, v.Rule)
	}
	got, alerts := r.alerted()
	for _, id := range got {
		if want[id] == "" {
			a := alerts[id]
			r.t.Errorf("alerted, and not found by validate: %s, stream %s, offset %v: %s", id, a.Stream, a.Offset, a.Message)
		}
		delete(want, id)
	}
	for id, what := range want {
		r.t.Errorf("found by validate, and not alerted: %s, %s", id, what)
	}
	r.t.Logf("%d events, %d violations, %d processes", result.Events, len(result.Violations), r.started)
}

// output is what a process writes.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}
