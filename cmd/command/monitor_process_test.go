//go:build unix

package command

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/moby/swarmkit/v2/api"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"tracecheck/ingest/swarm/swarmtest"
	"tracecheck/monitor/alert"
	"tracecheck/monitor/monitortest"
)

// desk is a file that grows, and monitors of it as processes.
type desk struct {
	*rig
	events int // in the file
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{rig: &rig{t: t, dir: t.TempDir()}}
	d.bin = commandIn(t, d.dir)
	return d
}

// path is that of a file of the desk.
func (d *desk) path(name string) string { return filepath.Join(d.dir, name) }

// write makes the file of the desk.
func (d *desk) write(name, text string) string {
	d.t.Helper()
	if err := os.WriteFile(d.path(name), []byte(text), 0o666); err != nil {
		d.t.Fatal(err)
	}
	return d.path(name)
}

func (d *desk) read(name string) string {
	d.t.Helper()
	text, err := os.ReadFile(d.path(name))
	if err != nil && !os.IsNotExist(err) {
		d.t.Fatal(err)
	}
	return string(text)
}

// add appends lines to the file that is followed.
func (d *desk) add(lines ...string) {
	d.t.Helper()
	f, err := os.OpenFile(d.path("log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err == nil {
		_, err = io.WriteString(f, strings.Join(lines, "\n")+"\n")
		f.Close()
	}
	if err != nil {
		d.t.Fatal(err)
	}
	d.events += len(lines)
}

// follow starts a monitor of the file.
func (d *desk) follow(flags ...string) *process {
	d.t.Helper()
	args := []string{"monitor", "--follow", d.path("log"), "--spec", "swarmkit"}
	for _, f := range [][]string{
		{"--checkpoint", d.path("state")}, {"--checkpoint-every", "100ms"}, {"--listen", "127.0.0.1:0"}, {"--alerts", d.path("alerts")},
	} {
		if !slices.Contains(flags, f[0]) && !slices.Contains(flags, "--config") {
			args = append(args, f...)
		}
	}
	return d.launch(append(args, flags...))
}

func (d *desk) wait(what string, holds func() bool) {
	d.t.Helper()
	for end := time.Now().Add(2 * time.Minute); !holds(); time.Sleep(30 * time.Millisecond) {
		if time.Now().After(end) {
			d.t.Fatalf("it does not come: %s", what)
		}
	}
}

// said waits until the process has logged the text so many times.
func (d *desk) said(p *process, text string, times int) {
	d.t.Helper()
	d.wait(fmt.Sprintf("%q, %d times", text, times), func() bool { return strings.Count(p.stderr.String(), text) >= times })
}

// caughtUp waits until the process has judged all lines.
func (d *desk) caughtUp(p *process) {
	d.t.Helper()
	d.wait(fmt.Sprintf("%d events", d.events), func() bool {
		if _, err := p.overview(); err != nil {
			return false
		}
		var o struct {
			Totals struct {
				Events int
				Bad    int `json:"bad_inputs"`
			}
		}
		return json.Unmarshal([]byte(p.get(d.t, "/api/overview")), &o) == nil && o.Totals.Events+o.Totals.Bad == d.events
	})
}

// get is what the process serves there, with status 200.
func (p *process) get(t *testing.T, path string) string {
	t.Helper()
	status, body := p.ask(t, path)
	if status != http.StatusOK {
		t.Fatalf("%s: status %d, %s", path, status, body)
	}
	return body
}

// alerts are those of a file, each as its kind, stream and line.
func (d *desk) alerts(name string) (list []string) {
	d.t.Helper()
	for line := range strings.Lines(d.read(name)) {
		var a alert.Alert
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			return append(list, "unfinished: "+line)
		}
		list = append(list, fmt.Sprint(a.Kind, " ", a.Stream, " ", a.Line))
	}
	return list
}

// alerted waits until these alerts are in the file, and no others.
func (d *desk) alerted(name string, want ...string) {
	d.t.Helper()
	d.wait(fmt.Sprintf("the alerts %q in %s", want, name), func() bool { return len(d.alerts(name)) >= len(want) })
	if got := d.alerts(name); !slices.Equal(got, want) {
		d.t.Errorf("%s has the alerts %q, want %q", name, got, want)
	}
}

// begin is a line by which a service comes to be: legal once for each.
func begin(stream, id string) string {
	return fmt.Sprintf(`{"stream":%q,"kind":"service","op":"create","id":%q,"object":{"replicas":1,"remove":false}}`, stream, id)
}

// A monitor goes on where another one has ended, however it did; what it serves
// states what it has found.
func TestMonitorGoesOn(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.follow() // before the file is there
	d.add(begin("s", "x"), begin("s", "x"), begin("s", "y"))
	d.caughtUp(p)
	d.alerted("alerts", "violation s 2")
	d.stop(p)
	d.add(begin("s", "y"))
	p = d.follow()
	d.caughtUp(p)
	d.alerted("alerts", "violation s 2", "violation s 4")
	d.kill(p)
	d.add(begin("s", "x"), begin("s", "z"))
	p = d.follow()
	d.caughtUp(p)
	d.wait("the last alert", func() bool { return slices.Contains(d.alerts("alerts"), "violation s 5") })
	got := d.alerts("alerts")
	slices.Sort(got)
	if want := []string{"violation s 2", "violation s 4", "violation s 5"}; !slices.Equal(slices.Compact(got), want) {
		t.Errorf("alerted %q, want %q", got, want)
	}

	for path, want := range map[string]string{
		"/healthz": `{"ok":true,"reasons":[]}`, "/readyz": `{"ok":true,"reasons":[]}`,
		"/api/streams":    `"stream":"s"`,
		"/api/violations": `"line":5,`,
		"/":               "1 stream at fault",
	} {
		if got := p.get(t, path); !strings.Contains(got, want) {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	metrics := p.get(t, "/metrics")
	if problems, err := promlint.New(strings.NewReader(metrics)).Lint(); err != nil || len(problems) > 0 {
		t.Errorf("/metrics: %v, %v", problems, err)
	}
	if want := `tracecheck_streams 1`; !strings.Contains(metrics, want) {
		t.Errorf("/metrics has no %s", want)
	}
	var a alert.Alert
	for line := range strings.Lines(d.read("alerts")) {
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatal(err)
		}
		page := p.get(t, "/violation/"+a.ID)
		if !strings.Contains(page, `<p class="message">`+a.Message) || !strings.Contains(page, fmt.Sprintf("log:%d,", a.Line)) {
			t.Errorf("the page of %s does not explain it: %.3000s", a.Message, page)
		}
	}
	d.stop(p)
}

// A configuration that has changed is taken, but for a faulty one; nothing is
// alerted twice for it, and nothing started over.
func TestMonitorReloads(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	config := func(alerts, more string) {
		d.write("m.yaml", fmt.Sprintf("checkpoint: %s\ncheckpoint-every: 100ms\nlisten: 127.0.0.1:0\nalerts: %s\n%s\n", d.path("state"), d.path(alerts), more))
	}
	reload := func(p *process) {
		if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	config("a1", "")
	d.add(begin("s", "x"), begin("s", "x"))
	p := d.follow("--config", d.path("m.yaml"), "--start-over")
	d.alerted("a1", "violation s 2")

	config("a2", "")
	reload(p)
	d.said(p, "is read again", 1)
	d.said(p, "judging\t", 1) // what comes before that is the business of the old one
	d.add(begin("s", "x"))
	d.alerted("a2", "violation s 3")

	config("a3", "checkpoint-evry: 1s")
	reload(p)
	d.said(p, "m.yaml:5: ", 1)
	config("a3", "steps: batched")
	reload(p)
	d.said(p, "made under other settings", 1)
	d.add(begin("s", "x"))
	d.alerted("a2", "violation s 3", "violation s 4")

	config("a4", "listen: none")
	config("a4", "")
	d.write("m.yaml", strings.Replace(d.read("m.yaml"), "127.0.0.1:0", "none", 1))
	reload(p)
	d.said(p, "is read again", 2)
	d.said(p, "judging\t", 2)
	d.add(begin("s", "x"))
	d.alerted("a4", "violation s 5")
	if n := strings.Count(p.stderr.String(), "the page is at"); n != 2 {
		t.Errorf("it has served its page %d times, want 2", n)
	}
	d.stop(p)
	d.alerted("a1", "violation s 2")
	d.alerted("a2", "violation s 3", "violation s 4")
}

// A monitor ends by itself when it is asked to, and with status 0 whatever it
// waits for.
func TestMonitorEnds(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add(begin("s", "x"), begin("s", "x"))
	before, _ := os.ReadDir(d.dir)
	p := d.follow("--dry-run")
	if err := <-p.ended; err != nil || !strings.Contains(p.stderr.String(), "checkpoint-every: 100ms # command line") {
		t.Errorf("--dry-run: %v", err)
	}
	if after, _ := os.ReadDir(d.dir); len(after) != len(before) {
		t.Errorf("--dry-run makes files: %v", after)
	}
	for most := 400 * time.Millisecond; d.read("alerts") == "" && most < time.Minute; most *= 2 { // a busy machine may need longer
		p = d.follow("--duration", most.String(), "--listen", "none")
		if err := <-p.ended; err != nil || strings.Contains(p.stderr.String(), "the page is at") {
			t.Fatalf("--duration: %v", err)
		}
	}
	d.alerted("alerts", "violation s 2")

	for _, flags := range [][]string{{"--checkpoint", d.path("other")}, {"--checkpoint-topic", "c", "--group", "g"}} {
		p = d.launch(append([]string{"monitor", "--kafka", "127.0.0.1:1", "--topic", "t", "--listen", "none"}, flags...))
		d.said(p, "127.0.0.1:1", 1)
		if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		d.said(p, "is read again", 1)
		d.stop(p)
	}
}

// What is not an event is a dead letter once, and its stream is reported.
func TestMonitorDeadLetters(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add(begin("s", "x"), `{"stream":"s","kind":"nonsense"}`, begin("s", "x"), begin("other", "x"), begin("other", "x"))
	for range 2 {
		p := d.follow("--dead-letters", d.path("dead"))
		d.caughtUp(p)
		d.stop(p)
		d.alerted("alerts", "violation other 5", "unusable s 2") // of one batch
		if dead := d.read("dead"); strings.Count(dead, "\n") != 1 || !strings.Contains(dead, `"line":2,`) || !strings.Contains(dead, `"raw":"{\"stream\":\"s\",\"kind\":\"nonsense\"}"`) {
			t.Errorf("the dead letters are %s", dead)
		}
	}
}

// A webhook that is away gets its alerts from the next process; a password is
// nowhere to be read.
func TestMonitorWebhook(t *testing.T) {
	t.Parallel()
	const secret = "very-secret"
	var mu sync.Mutex
	var got []string
	away, asked := true, 0
	changes := map[string]string{"one": "service x: create of a service that exists", "two": `task t1 changes: state "new" -> "rejected"`}
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if _, password, _ := r.BasicAuth(); password != secret || r.URL.Query().Get("key") != secret {
			t.Errorf("it is asked with %s, %v", r.URL, r.Header)
		}
		var alerts []struct{ Labels, Annotations map[string]string }
		if err := json.NewDecoder(r.Body).Decode(&alerts); err != nil {
			t.Error(err)
		}
		for _, a := range alerts { // the summary names the object and its change
			stream := a.Labels["stream"]
			if want := `swarmkit: transition Next is violated in stream "` + stream + `": ` + changes[stream]; a.Annotations["summary"] != want {
				t.Errorf("the summary is %s, want %s", a.Annotations["summary"], want)
			}
		}
		if asked++; away {
			http.Error(w, "away, "+secret, http.StatusServiceUnavailable)
			return
		}
		for _, a := range alerts {
			got = append(got, a.Labels["stream"])
		}
	}))
	defer hook.Close()
	d := newDesk(t)
	d.add(begin("one", "x"), begin("one", "x"))
	flags := []string{"--verbose", "--webhook", strings.Replace(hook.URL, "http://", "http://user:"+secret+"@", 1) + "/hook?key=" + secret}
	p := d.follow(flags...)
	d.wait("a second attempt", func() bool { mu.Lock(); defer mu.Unlock(); return asked >= 2 })
	d.said(p, "503", 1)
	d.caughtUp(p)
	d.secretIn(p, secret)
	d.stop(p)
	mu.Lock()
	if len(got) > 0 {
		t.Errorf("alerted %q to a user who is away", got)
	}
	away = false
	mu.Unlock()
	d.add(begin("two", "x"), `{"stream":"two","kind":"task","op":"create","id":"t1","object":{"service":"x","slot":1,"node":"","state":"new","desired_state":"running"}}`,
		`{"stream":"two","kind":"task","op":"update","id":"t1","object":{"state":"rejected"}}`)
	p = d.follow(flags...)
	d.wait("both alerts", func() bool { mu.Lock(); defer mu.Unlock(); return len(got) == 2 })
	if !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("alerted %q", got)
	}
	d.secretIn(p, secret)
	d.stop(p)
}

// secretIn looks for the secret in all that the process has said and serves, and
// in what it has written.
func (d *desk) secretIn(p *process, secret string) {
	d.t.Helper()
	all := map[string]string{"the log": p.stderr.String(), "alerts": d.read("alerts"), "state": d.read("state")}
	if p.url != "" {
		for _, path := range []string{"/", "/metrics", "/api/overview", "/api/streams", "/api/violations", "/violations", "/streams"} {
			if resp, err := http.Get(p.url + path); err == nil {
				body, _ := io.ReadAll(resp.Body)
				resp.Body.Close()
				all[path] = string(body)
			}
		}
	}
	for where, text := range all {
		if strings.Contains(text, secret) {
			d.t.Errorf("%s has the secret: %s", where, text)
		}
	}
}

// Nor is that of a Kafka cluster, or a token, whether they are refused or not.
func TestMonitorKeepsSecrets(t *testing.T) {
	t.Parallel()
	const secret = "very-secret"
	d := newDesk(t)
	file := d.write("password", secret+"\n")
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+secret {
			t.Errorf("it is asked with %v", r.Header)
		}
		http.Error(w, r.Header.Get("Authorization"), http.StatusForbidden)
	}))
	defer hook.Close()
	d.add(begin("s", "x"), begin("s", "x"))
	p := d.follow("--verbose", "--webhook", hook.URL, "--webhook-token-file", file)
	d.said(p, "403", 1)
	d.caughtUp(p)
	d.secretIn(p, secret)
	d.stop(p)
	d.secretIn(p, secret)
	for _, flags := range [][]string{nil, {"--dry-run"}} {
		p = d.launch(append([]string{"monitor", "--kafka", "127.0.0.1:1", "--topic", "t", "--no-checkpoint", "--verbose", "--listen", "127.0.0.1:0",
			"--kafka-sasl", "plain", "--kafka-user", "u", "--kafka-password-file", file, "--webhook", "https://u:" + secret + "@127.0.0.1:1/?k=" + secret}, flags...))
		if flags == nil {
			d.said(p, "127.0.0.1:1", 1)
			d.stop(p)
		} else if err := <-p.ended; err != nil {
			t.Error(err)
		}
		d.secretIn(p, secret)
	}
}

// Rules make the same events of a log whether a monitor is restarted in the
// middle of a transaction, or of what exists, or not.
func TestMonitorMapped(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	rules := d.write("rules.yaml", `
meta: {spec: [swarmkit], steps: batched}
rules:
  - when: {msg: noise}
    ignore: true
  - when: {kind: {exists: true}}
    kind: "{kind}"
    op: "{op}"
    id: "{id}"
    tx: {path: tx, optional: true}
    object: {path: object}
`)
	task := `{"kind":"task","op":"%s","id":"%s","tx":7,"object":{"service":"%s","slot":1,"node":"","state":"new","desired_state":"running"}}`
	service := `{"kind":"service","op":"%s","id":"%s","tx":7,"object":{"replicas":1,"remove":false}}`
	// The task exists, or is created, before its service does.
	steps := []string{
		fmt.Sprintf(task, "snapshot", "t0", "s0"), `{"msg":"unknown"}`, fmt.Sprintf(service, "snapshot", "s0"), `{"msg":"noise"}`,
		fmt.Sprintf(task, "create", "t1", "s1"), fmt.Sprintf(service, "create", "s1"),
		`{"kind":"service","op":"create","id":"s2","object":{"replicas":0,"remove":false}}`,
		`{"kind":"service","op":"create","id":"s2","object":{"replicas":0,"remove":false}}`,
	}
	unmapped := 0
	for i, line := range steps {
		d.add(line)
		p := d.follow("--map", rules)
		d.wait(fmt.Sprint("line ", i+1), func() bool {
			if _, err := p.overview(); err != nil {
				return false
			}
			return strings.Contains(p.get(t, "/api/overview"), fmt.Sprintf(`\"line\":%d,`, i+2))
		})
		d.stop(p)
		if m := regexp.MustCompile(`lines that no rule matched\s*\{"count": (\d+)\}`).FindStringSubmatch(p.stderr.String()); m == nil {
			t.Errorf("line %d: it does not say how many lines no rule matched", i+1)
		} else if m[1] == "1" {
			unmapped++
		}
	}
	d.alerted("alerts", fmt.Sprint("violation  ", len(steps)))
	if unmapped != 1 {
		t.Errorf("%d processes had a line that no rule matched, want 1", unmapped)
	}
	status, out, errs := 0, "", ""
	cmd := d.launch([]string{"validate", "--keep-going", "--spec", "swarmkit", "--map", rules, d.path("log")})
	<-cmd.ended
	status, out, errs = cmd.cmd.ProcessState.ExitCode(), cmd.stderr.String(), ""
	if status != 1 || strings.Count(out, "log:8") == 0 {
		t.Errorf("validate: status %d\n%s%s", status, out, errs)
	}
}

// A swarm is judged through its socket, and gone on with.
func TestMonitorSwarm(t *testing.T) {
	t.Parallel()
	m := swarmtest.New(t)
	d := newDesk(t)
	start := func(events int) *process {
		p := d.launch([]string{"monitor", "--swarm", m.Socket, "--stream", "prod", "--checkpoint", d.path("state"), "--checkpoint-every", "100ms",
			"--listen", "127.0.0.1:0", "--alerts", d.path("alerts")})
		d.events = events
		d.caughtUp(p)
		return p
	}
	m.Commit(swarmtest.Create(swarmtest.Service("s1", 1)))
	p := start(3) // with the meta line and the node
	d.stop(p)
	p = start(3)
	d.said(p, "resumes without a gap", 1)
	m.Commit(swarmtest.Create(swarmtest.Task("t1", "s1", 1, api.TaskStateRunning))) // from nothing
	m.Commit(swarmtest.Remove(swarmtest.Service("s1", 1)))
	d.events += 2
	d.caughtUp(p)
	d.wait("an alert", func() bool { return len(d.alerts("alerts")) > 0 })
	d.stop(p)
	if got := slices.Compact(d.alerts("alerts")); !slices.Equal(got, []string{"violation prod 4"}) { // of several rules
		t.Errorf("alerted %q, want those of the task", got)
	}
}

// systemd is notified how it does.
func TestMonitorNotifies(t *testing.T) {
	next := monitortest.SystemdSocket(t)
	t.Setenv("WATCHDOG_USEC", "400000")
	d := newDesk(t)
	d.add(begin("s", "x"))
	p := d.follow()
	want := func(text string) {
		t.Helper()
		fed := 0
		for {
			switch got := next(); {
			case strings.HasPrefix(got, text):
				return
			case got != "WATCHDOG=1":
				t.Fatalf("systemd is notified %q, want %q", got, text)
			}
			fed++
		}
	}
	want("READY=1\nSTATUS=judging " + d.path("log"))
	want("WATCHDOG=1")
	if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	want("RELOADING=1\nMONOTONIC_USEC=")
	want("READY=1")
	want("WATCHDOG=1")
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	want("STOPPING=1")
	if err := <-p.ended; err != nil {
		t.Error(err)
	}
}
