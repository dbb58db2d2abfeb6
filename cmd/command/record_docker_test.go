package command

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"tracecheck/internal/tracefile"
)

// dockerdVariable names the engine to test with; without it, the test is
// skipped. It needs root and, in PATH, docker.
const dockerdVariable = "TRACECHECK_DOCKERD"

// secret is in the environment of a container only.
const secret = "hunter2"

// engine is a Docker Engine of the test's own.
type engine struct {
	t    *testing.T
	path string
	dir  string
	cmd  *exec.Cmd
}

func newEngine(t *testing.T) *engine {
	t.Helper()
	path := os.Getenv(dockerdVariable)
	if path == "" {
		t.Skipf("no Docker Engine: %s names none", dockerdVariable)
	}
	dir, err := os.MkdirTemp("", "engine") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	e := &engine{t: t, path: path, dir: dir}
	t.Cleanup(func() {
		e.stop()
		// A network namespace may be mounted still.
		exec.Command("sh", "-c", `for m in $(grep -o " $0/[^ ]*" /proc/mounts); do umount -l "$m"; done; rm -rf "$0"`, dir).Run()
	})
	return e
}

func (e *engine) at(name string) string { return filepath.Join(e.dir, name) }

func (e *engine) controlSocket() string { return e.at("exec/swarm/control.sock") }

// start skips the test where no engine can run.
func (e *engine) start() {
	e.t.Helper()
	log, err := os.OpenFile(e.at("log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		e.t.Fatal(err)
	}
	defer log.Close()
	// With a network of its own it meets no other engine, and nobody meets it.
	e.cmd = exec.Command("unshare", "--net", "sh", "-c", `ip link set lo up && exec "$0" "$@"`,
		e.path, "--data-root", e.at("data"), "--exec-root", e.at("exec"), "--pidfile", e.at("pid"),
		"-H", "unix://"+e.at("docker.sock"), "--storage-driver", "vfs", "--iptables=false", "--ip6tables=false", "--bridge=none")
	e.cmd.Stdout, e.cmd.Stderr = log, log
	if err := e.cmd.Start(); err != nil {
		e.t.Skipf("the Docker Engine does not start here: %v", err)
	}
	for begin := time.Now(); time.Since(begin) < time.Minute; time.Sleep(200 * time.Millisecond) {
		if _, err := e.try("version"); err == nil {
			return
		}
	}
	text, _ := os.ReadFile(e.at("log"))
	e.t.Skipf("the Docker Engine does not run here: %s", text[max(0, len(text)-2000):])
}

// stop waits for the engine's end.
func (e *engine) stop() {
	if e.cmd == nil {
		return
	}
	e.cmd.Process.Signal(syscall.SIGTERM)
	late := time.AfterFunc(time.Minute, func() { e.cmd.Process.Kill() })
	e.cmd.Wait()
	late.Stop()
	e.cmd = nil
}

func (e *engine) try(args ...string) (string, error) {
	cmd := exec.Command("docker", args...)
	cmd.Env = append(os.Environ(), "DOCKER_HOST=unix://"+e.at("docker.sock"))
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func (e *engine) docker(args ...string) string {
	e.t.Helper()
	out, err := e.try(args...)
	if err != nil {
		e.t.Fatalf("docker %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return out
}

// until waits for docker to say so.
func (e *engine) until(want string, args ...string) {
	e.t.Helper()
	var out string
	for begin := time.Now(); time.Since(begin) < time.Minute; time.Sleep(200 * time.Millisecond) {
		if out, _ = e.try(args...); out == want {
			return
		}
	}
	tasks, _ := e.try("node", "ps", "--no-trunc", "--format", "{{.Name}} {{.CurrentState}} {{.Error}}")
	e.t.Fatalf("docker %s states %q, want %q; the tasks are\n%s", strings.Join(args, " "), out, want, tasks)
}

// image makes an image of testdata/tiny.
func (e *engine) image() {
	e.t.Helper()
	build := exec.Command("go", "build", "-o", e.at("tiny"), "./testdata/tiny")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		e.t.Fatalf("go build: %v: %s", err, out)
	}
	tar := exec.Command("tar", "-C", e.dir, "-cf", e.at("image.tar"), "tiny")
	if out, err := tar.CombinedOutput(); err != nil {
		e.t.Fatalf("tar: %v: %s", err, out)
	}
	e.docker("import", "-c", `ENTRYPOINT ["/tiny"]`, e.at("image.tar"), "tiny:1")
}

func (e *engine) create(name string, args ...string) {
	e.t.Helper()
	e.docker(append([]string{"service", "create", "-d", "--no-resolve-image", "--name", name}, args...)...)
}

func (e *engine) update(name string, args ...string) {
	e.t.Helper()
	e.docker(append(append([]string{"service", "update", "-d", "--no-resolve-image"}, args...), name)...)
}

// running waits until so many tasks of the service run.
func (e *engine) running(name string, n int) {
	e.t.Helper()
	e.until(fmt.Sprintf("%d/%d", n, n), "service", "ls", "--filter", "name="+name, "--format", "{{.Replicas}}")
}

// converge waits for the service by the command, which must end so and say why,
// in one of these words.
func (e *engine) converge(name string, status int, whys ...string) {
	e.t.Helper()
	got, out, errs := tryRun(e.t.Context(), nil, "converge", "--swarm", e.controlSocket(), "--service", name, "--stable", "3s", "--timeout", "2m")
	if got != status || !slices.ContainsFunc(whys, func(why string) bool { return strings.Contains(out, why) }) {
		e.t.Errorf("converge %s: exit status %d, want %d and one of %q\n%s%s", name, got, status, whys, out, errs)
	}
}

// live is what a swarm may go through.
func (e *engine) live() {
	e.create("web", "--replicas", "3", "-p", "80", "tiny:1", "600000", "0")
	e.create("all", "--mode", "global", "tiny:1", "600000", "0")
	e.create("crash", "--replicas", "2", "--restart-delay", "300ms", "tiny:1", "500", "1")
	e.create("job", "--mode", "replicated-job", "--replicas", "3", "--max-concurrent", "2", "tiny:1", "500", "0")
	e.running("web", 3)
	e.docker("swarm", "update", "--task-history-limit", "1")
	e.docker("service", "scale", "-d", "web=5")
	e.running("web", 5)
	e.docker("service", "scale", "-d", "web=2")
	e.running("web", 2)
	e.update("web", "--env-add", "SECRET="+secret, "--update-order", "start-first")
	e.until("completed", "service", "inspect", "web", "--format", "{{.UpdateStatus.State}}")
	e.docker("service", "rollback", "-d", "web")
	e.until("rollback_completed", "service", "inspect", "web", "--format", "{{.UpdateStatus.State}}")
	self := e.docker("node", "ls", "-q")
	e.docker("node", "update", "--availability", "drain", self)
	e.until("0/2", "service", "ls", "--filter", "name=web", "--format", "{{.Replicas}}")
	e.docker("node", "update", "--availability", "active", self)
	e.running("web", 2)
}

func TestRecordDocker(t *testing.T) {
	e := newEngine(t)
	e.start()
	e.docker("swarm", "init", "--advertise-addr", "127.0.0.1", "--listen-addr", "127.0.0.1")
	e.image()
	t.Logf("engine %s", e.docker("version", "--format", "{{.Server.Version}}"))
	r := startRecorderAt(t, e.controlSocket(), "r.jsonl.gz", "--rotate-size", "16KiB")
	r.wait(tracefile.CompressGzip, `"kind":"node","op":"snapshot"`)
	e.live()
	e.converge("all", 0, "CONVERGED")
	e.stop()
	e.start()
	e.running("web", 2)
	e.docker("service", "update", "-d", "--image", "localhost:1/missing:1", "web")
	e.converge("web", 1, "missing", "its update has failed") // as seen before the task is replaced, or after
	e.docker("service", "rollback", "-d", "web")
	for _, id := range strings.Fields(e.docker("service", "inspect", "--format", "{{.ID}}", "web", "all", "crash", "job")) {
		e.docker("service", "rm", id)
		r.wait(tracefile.CompressGzip, `"kind":"service","op":"delete","id":"`+id+`"`)
	}
	e.until("", "ps", "-q")
	time.Sleep(2 * time.Second) // agents' reports are late
	if err := r.end(os.Interrupt); err != nil {
		t.Fatalf("%v\n%s", err, r.stderr.String())
	}
	t.Log(r.stderr.String())
	checkRecording(t, r)
}

func checkRecording(t *testing.T, r *recorder) {
	t.Helper()
	text := r.content(tracefile.CompressGzip)
	for _, want := range []string{
		`"mode":"replicated-job"`, `"slot":"global"`, `"state":"failed"`, `"update_state":"rollback_completed"`,
		`"availability":"drain"`, `"max_terminated":5`, `"max_terminated":1`, `"kind":"endpoint","op":"create"`, `"kind":"service","op":"delete"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the recording has no %s", want)
		}
	}
	if strings.Contains(text, secret) {
		t.Error("the recording has an environment variable")
	}
	if !bytes.Contains(r.stderr.Bytes(), []byte(`"gaps": 0`)) {
		t.Errorf("the recording has gaps: %s", r.stderr.String())
	}
	status, verdict, errs := tryRun(t.Context(), nil, append([]string{"validate"}, r.files()...)...)
	if status != 0 {
		t.Errorf("the recording does not conform under the profile that it names: exit status %d\n%s%s", status, verdict, errs)
	}
}
