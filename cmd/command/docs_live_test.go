//go:build unix

package command

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/moby/swarmkit/v2/api"

	"tracecheck/ingest/kafka/kafkatest"
	"tracecheck/ingest/swarm/swarmtest"
	"tracecheck/internal/tracefile"
)

// systems are what printed commands need beside files.
type systems struct {
	t       *testing.T
	broker  string   // has the topics events, app and state
	socket  string   // of a manager: the services web and shop have converged, and a node goes down and up
	monitor *process // of a file with a violation
	secured *process // has TLS and a login
	keys    string   // the folder with the files for secured
	words   *strings.Replacer
}

func newSystems(t *testing.T) *systems {
	t.Helper()
	s := &systems{t: t, keys: t.TempDir()}
	events := strings.ReplaceAll(readText(t, "../../testdata/traces/scale.jsonl"), `"profile":"moby"`, `"profile":"spec"`)

	s.broker = kafkatest.Start(t).ListenAddrs()[0]
	client := kafkatest.Client(t, []string{s.broker})
	kafkatest.CreateTopic(t, client, "state", 1, "cleanup.policy=compact", "retention.ms=-1")
	for topic, text := range map[string]string{"events": events, "app": readText(t, "../../testdata/tracespecs/lock.ndjson")} {
		kafkatest.CreateTopic(t, client, topic, 1)
		for line := range strings.Lines(text) {
			client.Produce(t.Context(), kafkatest.Message(topic, 0, "scale", strings.TrimSuffix(line, "\n")), nil)
		}
	}
	if err := client.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}

	m := swarmtest.New(t)
	s.socket = m.Socket
	for _, name := range []string{"web", "shop"} {
		service, task := swarmtest.Service(name, 1), swarmtest.Task(name+"-1", name, 1, api.TaskStateRunning)
		service.Spec.Annotations.Name, task.NodeID = name, "n1"
		m.Commit(swarmtest.Create(service), swarmtest.Create(task))
	}
	m.Commit(swarmtest.Create(swarmtest.Node("n2", api.NodeStatus_READY)))
	go func() {
		for now, next := api.NodeStatus_DOWN, api.NodeStatus_READY; t.Context().Err() == nil; now, next = next, now {
			m.Commit(swarmtest.Update(swarmtest.Node("n2", now)))
			time.Sleep(100 * time.Millisecond)
		}
	}()

	d := newDesk(t)
	d.add(strings.Split(strings.TrimSuffix(events, "\n"), "\n")...)
	s.monitor = d.follow()
	d.wait("a monitor that judges", func() bool { return judges(s.monitor) })
	access := readText(t, accessFiles(t, s.keys, true, true))
	access = d.write("web.yaml", strings.NewReplacer("ann", "docker", "cert.pem", s.keys+"/cert.pem", "key.pem", s.keys+"/key.pem").Replace(access))
	s.secured = d.launch([]string{"monitor", "--follow", d.path("log"), "--no-checkpoint", "--spec", "swarmkit", "--listen", "127.0.0.1:0", "--web-config", access})
	d.wait("the page with TLS", func() bool {
		s.secured.url = regexp.MustCompile(`https://127\.0\.0\.1:\d+`).FindString(s.secured.stderr.String())
		return s.secured.url != ""
	})

	s.words = s.standIns()
	return s
}

// standIns has what takes the place of the words that name live systems, and are placeholders.
// All other words of a command are run as printed.
func (s *systems) standIns() *strings.Replacer {
	monitor := strings.TrimPrefix(s.monitor.url, "http://")
	return strings.NewReplacer(
		"--kafka HOST:PORT --topic NAME", "--kafka "+s.broker+" --topic app",
		"HOST:9092", s.broker,
		"localhost:9092", s.broker,
		"127.0.0.1:19092", s.broker,
		"/var/run/docker/swarm/control.sock", s.socket,
		"SOCKET", s.socket,
		"[--ready] [HOST:PORT]", "--ready "+monitor,
		"monitor.example:9464", monitor,
		"http://localhost:9464", s.monitor.url,
		"4d2229f0e3670573fe4327fb", s.monitor.violations(s.t).Violations[0].ID,
		"https://localhost:9464", s.secured.url,
		"monitor.example.org", "example.com", // whom the test's certificate names
		"[NAME [ACTION-OR-RULE]]", "swarmkit CleanupService",
		"--events 2000000 --objects 1000000", "--events 2000 --objects 1000", // for time
		// Folders: their files are in the page's folder.
		"/var/log/app/", "", "/etc/tracecheck/", "", "/tmp/run/", "run/",
	)
}

// asRun is a printed command with the stand-ins, also for defaults.
func (s *systems) asRun(line string) string {
	line = s.words.Replace(line)
	switch {
	case line == "tracecheck top" || line == "tracecheck health":
		return line + " " + s.monitor.url
	case strings.HasPrefix(line, "tracecheck record ") && !strings.Contains(line, "--swarm"):
		return line + " --swarm " + s.socket
	case strings.HasPrefix(line, "tracecheck monitor ") && !strings.Contains(line, "--dry-run"):
		return line + " --listen 127.0.0.1:0"
	case strings.HasPrefix(line, "tracecheck converge --swarm "):
		return line + " --stable 1s" // for time
	case strings.HasPrefix(line, "tracecheck validate --swarm "):
		return line + " --verbose" // its log then has when it works
	}
	return line
}

// endless are the commands that run until they are stopped. Each has when it works, and its status
// when it is then stopped.
var endless = []struct {
	command *regexp.Regexp
	works   func(p *process, dir string) bool
	status  int
}{
	{regexp.MustCompile(`^tracecheck monitor `), func(p *process, _ string) bool { return judges(p) }, 0},
	{regexp.MustCompile(`^tracecheck record `), func(_ *process, dir string) bool {
		packed, _ := os.ReadFile(filepath.Join(dir, "swarm.jsonl.gz"))
		text, _ := unpack(tracefile.CompressGzip, string(packed)) // it has no end yet
		return strings.Count(text, `"op":"update"`) > 1
	}, 0},
	{regexp.MustCompile(`^tracecheck validate .*--swarm `), logs(`"by": ["`), 0},
	{regexp.MustCompile(`^tracecheck validate .*--kafka `), logs("service 53sc3y2idqky7cr1yvbkjf488 is deleted"), 1},
}

func logs(text string) func(*process, string) bool {
	return func(p *process, _ string) bool { return strings.Contains(p.stderr.String(), text) }
}

// finds matches the commands whose status is 1 if they find a violation, or too little coverage.
var finds = regexp.MustCompile(`tracecheck (validate|coverage|explain|report) `)

// run runs a printed command in a folder. It reports an endless command that does not get to work,
// or ends with another status, and any
// other command that fails.
func (s *systems) run(t *testing.T, dir, printed string) {
	t.Helper()
	line := s.asRun(printed)
	for _, e := range endless {
		if e.command.MatchString(line) && !strings.Contains(line, "--dry-run") && !strings.Contains(line, "--until-end") {
			stopped(t, dir, line, e.works, e.status)
			return
		}
	}
	if _, err := exec.LookPath("curl"); err != nil && strings.HasPrefix(line, "curl ") {
		t.Logf("not run: %s: %v", printed, err)
		return
	}
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CURL_HOME="+dir)
	out, err := cmd.CombinedOutput()
	if status := cmd.ProcessState.ExitCode(); status != 0 && (status != 1 || !finds.MatchString(line)) {
		t.Errorf("%s, run as\n%s: %v\n%s", printed, line, err, out)
	}
}

// stopped runs an endless command until it works.
func stopped(t *testing.T, dir, line string, works func(*process, string) bool, status int) {
	t.Helper()
	for _, output := range regexp.MustCompile(`(?:-o|--checkpoint) (\S+)`).FindAllStringSubmatch(line, -1) {
		os.Remove(filepath.Join(dir, output[1])) // of a command before
	}
	d := &desk{rig: &rig{t: t, dir: dir, bin: "sh"}}
	p := d.launch([]string{"-c", "cd '" + dir + "' && exec " + line})
	for end := time.Now().Add(patience); !works(p, dir); time.Sleep(50 * time.Millisecond) {
		select {
		case err := <-p.ended:
			t.Errorf("%s: it ended with %v\n%s", line, err, p.stderr)
			return
		default:
		}
		if time.Now().After(end) {
			t.Errorf("%s: it does not work\n%s", line, p.stderr)
			return
		}
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-p.ended
	if got := p.cmd.ProcessState.ExitCode(); got != status {
		t.Errorf("%s: exit status %d, want %d\n%s", line, got, status, p.stderr)
	}
}

// judges reports whether the monitor is ready, and has judged events.
func judges(p *process) bool {
	if _, err := p.overview(); err != nil {
		return false
	}
	var o struct{ Totals struct{ Events int } }
	for path, into := range map[string]any{"/-/ready": nil, "/api/overview": &o} {
		resp, err := http.Get(p.url + path)
		if err != nil {
			return false
		}
		if into != nil {
			err = json.NewDecoder(resp.Body).Decode(into)
		}
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK {
			return false
		}
	}
	return o.Totals.Events > 0
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
