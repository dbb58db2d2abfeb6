package command

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/moby/swarmkit/v2/api"

	"tracecheck/ingest/swarm/swarmtest"
	"tracecheck/internal/console"
	"tracecheck/internal/tracefile"
	"tracecheck/specs"
)

// recorder is a tracecheck process that records into the files of a folder.
type recorder struct {
	t      *testing.T
	cmd    *exec.Cmd
	dir    string
	stderr bytes.Buffer
}

func startRecorder(t *testing.T, m *swarmtest.Manager, output string, args ...string) *recorder {
	t.Helper()
	return startRecorderAt(t, m.Socket, output, args...)
}

func startRecorderAt(t *testing.T, socket, output string, args ...string) *recorder {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// As testscript does: under this name the test's binary is the command.
	bin := filepath.Join(t.TempDir(), "tracecheck")
	if err := os.Symlink(self, bin); err != nil {
		t.Fatal(err)
	}
	r := &recorder{t: t, dir: t.TempDir()}
	r.cmd = exec.Command(bin, append([]string{"record", "--swarm", socket, "-o", filepath.Join(r.dir, output)}, args...)...)
	r.cmd.Stderr = &r.stderr
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.cmd.Process.Kill() }) // fails where it has ended
	return r
}

func (r *recorder) files() []string {
	files, err := filepath.Glob(filepath.Join(r.dir, "*"))
	if err != nil {
		r.t.Fatal(err)
	}
	return files
}

// content is what can be read of all files.
func (r *recorder) content(compression string) string {
	var all strings.Builder
	for _, file := range r.files() {
		packed, err := os.ReadFile(file)
		if err != nil {
			r.t.Fatal(err)
		}
		if len(packed) > 0 {
			text, _ := unpack(compression, string(packed)) // the last one has no end yet
			all.WriteString(text)
		}
	}
	return all.String()
}

func (r *recorder) wait(compression, text string) {
	r.t.Helper()
	for begin := time.Now(); time.Since(begin) < time.Minute; time.Sleep(10 * time.Millisecond) {
		if strings.Contains(r.content(compression), text) {
			return
		}
	}
	r.t.Fatalf("%s never came: %s\n%s", text, r.content(compression), r.stderr.String())
}

func (r *recorder) end(signal os.Signal) error {
	r.t.Helper()
	if err := r.cmd.Process.Signal(signal); err != nil {
		r.t.Fatal(err)
	}
	return r.cmd.Wait()
}

// legal commits what SwarmKit's spec allows.
func legal(m *swarmtest.Manager, service string) {
	m.Commit(swarmtest.Create(swarmtest.Service(service, 2)))
	first := swarmtest.Task(service+"-1", service, 1, api.TaskStateNew)
	second := swarmtest.Task(service+"-2", service, 2, api.TaskStateNew)
	m.Commit(swarmtest.Create(first), swarmtest.Create(second))
	first.Status.State, second.Status.State = api.TaskStatePending, api.TaskStatePending
	m.Commit(swarmtest.Update(first), swarmtest.Update(second))
	first.Status.State, first.NodeID = api.TaskStateAssigned, "n1"
	m.Commit(swarmtest.Update(first))
}

const assigned = `"id":"%s-1","object":{"node":"n1","state":"assigned"}}` + "\n"

func validate(t *testing.T, args ...string) (status int, out string) {
	t.Helper()
	status, out, errs := tryRun(t.Context(), nil, append([]string{"validate", "--spec", "swarmkit", "--profile", "spec"}, args...)...)
	return status, out + errs
}

func TestRecordSwarm(t *testing.T) {
	t.Parallel()
	for _, compression := range tracefile.Compressions {
		for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
			t.Run(fmt.Sprint(compression, " ", signal), func(t *testing.T) {
				t.Parallel()
				m := swarmtest.New(t)
				r := startRecorder(t, m, "r.jsonl", "--compress", compression, "--stream", "prod")
				r.wait(compression, `"stream":"prod","seq":1,`)
				legal(m, "s1")
				r.wait(compression, fmt.Sprintf(assigned, "s1"))
				if err := r.end(signal); err != nil {
					t.Fatalf("%v\n%s", err, r.stderr.String())
				}
				if status, out := validate(t, r.files()...); status != 0 || !strings.Contains(out, "4 steps") {
					t.Errorf("exit status %d: %s", status, out)
				}
				if !strings.Contains(r.stderr.String(), `{"events": 7, "gaps": 0}`) {
					t.Errorf("stderr is %s", r.stderr.String())
				}
			})
		}
	}
}

func TestRecordRotates(t *testing.T) {
	t.Parallel()
	m := swarmtest.New(t)
	r := startRecorder(t, m, "r.jsonl.zst", "--rotate-size", "300")
	r.wait(tracefile.CompressZstd, `"n1"`)
	for i := range 5 {
		if i == 2 {
			m.SetLimit(2)
		}
		legal(m, fmt.Sprint("s", i))
	}
	r.wait(tracefile.CompressZstd, fmt.Sprintf(assigned, "s4"))
	if err := r.end(os.Interrupt); err != nil {
		t.Fatalf("%v\n%s", err, r.stderr.String())
	}
	if n := len(r.files()); n < 3 {
		t.Errorf("%d files", n)
	}
	// Each file begins with the settings of its first event.
	all := strings.Split(r.content(tracefile.CompressZstd), "\n")
	metas := strings.Count(strings.Join(all, ""), `"max_terminated":`)
	for i, line := range all {
		if strings.Contains(line, `"max_terminated":5`) && strings.Contains(strings.Join(all[:i], ""), `"max_terminated":2`) {
			t.Errorf("after the limit has changed, line %d is %s", i+1, line)
		}
	}
	if metas <= len(r.files()) || !strings.Contains(all[0], `"max_terminated":5`) {
		t.Errorf("%d meta lines in %d files, the first %s", metas, len(r.files()), all[0])
	}
	if status, out := validate(t, r.files()...); status != 0 || !strings.Contains(out, "20 steps") {
		t.Errorf("exit status %d: %s", status, out)
	}
}

// Whatever moment the recorder is killed at, whole transactions are left, and
// can be judged.
func TestRecorderIsKilled(t *testing.T) {
	t.Parallel()
	for i := range 9 {
		compression := tracefile.Compressions[i%len(tracefile.Compressions)]
		m := swarmtest.New(t)
		r := startRecorder(t, m, "r.jsonl", "--compress", compression)
		r.wait(compression, `"n1"`)
		ctx, cancel := context.WithCancel(t.Context())
		wrote := make(chan bool)
		go func() {
			for n := 0; ctx.Err() == nil; n++ {
				large(m, fmt.Sprint("s", n))
			}
			close(wrote)
		}()
		r.wait(compression, `"op":"create"`)
		time.Sleep(time.Duration(7*i) * time.Millisecond)
		r.end(syscall.SIGKILL) // it states that it was killed
		cancel()
		<-wrote
		if status, out := validate(t, r.files()...); status != 0 {
			t.Errorf("%s: exit status %d: %s", compression, status, out)
		}
		if n := strings.Count(r.content(compression), `"op":"create","id":"s`); n%200 != 0 {
			t.Errorf("%s: a transaction of 200 was cut: there are %d", compression, n)
		}
	}
}

// large commits as much as a manager does at once.
func large(m *swarmtest.Manager, name string) {
	var all []swarmtest.Action
	for i := range 200 {
		all = append(all, swarmtest.Create(swarmtest.Service(fmt.Sprint(name, "-", i), 0)))
	}
	m.Commit(all...)
}

// A gap is one for validate, too: not judged unless --keep-going is set.
func TestRecordedGap(t *testing.T) {
	t.Parallel()
	m := swarmtest.New(t)
	r := startRecorder(t, m, "r.jsonl")
	r.wait(tracefile.CompressNone, `"n1"`)
	legal(m, "s1")
	r.wait(tracefile.CompressNone, fmt.Sprintf(assigned, "s1"))
	m.Stop()
	m.Commit(swarmtest.Remove(swarmtest.Task("s1-2", "s1", 2, api.TaskStatePending)))
	m.Compact()
	m.Start()
	r.wait(tracefile.CompressNone, `"kind":"task","op":"snapshot"`)
	legal(m, "s2")
	r.wait(tracefile.CompressNone, fmt.Sprintf(assigned, "s2"))
	if err := r.end(os.Interrupt); err != nil {
		t.Fatalf("%v\n%s", err, r.stderr.String())
	}
	if status, out := validate(t, r.files()...); status != 3 || !strings.Contains(out, "gap") {
		t.Errorf("exit status %d: %s", status, out)
	}
	if status, out := validate(t, append(r.files(), "--on-gap", "resync")...); status != 0 {
		t.Errorf("exit status %d: %s", status, out)
	}
}

func TestRecordUsage(t *testing.T) {
	t.Parallel()
	m := swarmtest.New(t)
	there := filepath.Join(t.TempDir(), "there")
	if err := os.WriteFile(there, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"record", "file"}, "--output"},
		{[]string{"record", "--rotate-size", "1MiB"}, "rotation needs files"},
		{[]string{"record", "--compress", "lzma"}, "expected none or gzip or zstd"},
		{[]string{"record", "--swarm", "/does/not/exist"}, "no control socket at /does/not/exist"},
		{[]string{"record", "--swarm", m.Socket, "-o", there, "--duration", "2m"}, "already exists"},
		{[]string{"validate", "--duration", "5s", "trace"}, "--swarm"},
		{[]string{"validate", "--swarm", m.Socket, "trace"}, "one or the other"},
		{[]string{"validate", "--swarm", "/does/not/exist", "--profile", "spec"}, "no control socket"},
	} {
		status, stdout, stderr := tryRun(t.Context(), nil, test.args...)
		if status != statusUsage || stdout != "" || !strings.Contains(stderr, test.want) {
			t.Errorf("%q: exit status %d, stdout %q, stderr %q, want %q", test.args, status, stdout, stderr, test.want)
		}
	}
}

func TestRecordToStdout(t *testing.T) {
	t.Parallel()
	m := swarmtest.New(t)
	var status int
	var stdout, stderr string
	for most := 4 * time.Second; stdout == "" && most < time.Minute; most *= 2 { // a busy machine may need longer
		status, stdout, stderr = tryRun(t.Context(), nil, "record", "--swarm", m.Socket, "--duration", most.String())
	}
	if status != 0 || strings.Count(stdout, "\n") != 2 || !strings.Contains(stdout, `"op":"snapshot","id":"n1"`) {
		t.Errorf("exit status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
	if strings.Contains(stderr, "warn") {
		t.Errorf("the end of --duration is no failure: %s", stderr)
	}
}

func TestValidateSwarm(t *testing.T) {
	t.Parallel()
	m := swarmtest.New(t)
	// judge validates the live swarm. Once its objects are listed, it changes
	// the swarm, and once the log has the text, it interrupts.
	judge := func(change func(), text string) (status int, stdout, stderr string) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		listed, logged := newWatched("changes follow"), newWatched(text)
		go func() {
			<-listed.has
			change()
			<-logged.has
			cancel()
		}()
		var out bytes.Buffer
		status = run(ctx, console.Environment{
			Specs: specs.All(), Stdout: &out, Stderr: io.MultiWriter(listed, logged), Getenv: func(string) string { return "" },
			Args: []string{"tracecheck", "validate", "--swarm", m.Socket, "--spec", "swarmkit", "--profile", "spec", "--verbose"},
		})
		return status, out.String(), logged.String()
	}
	status, stdout, stderr := judge(func() {
		legal(m, "s1")
		m.Commit(swarmtest.Create(swarmtest.Service("s2", 1))) // the step before it is whole
	}, `"by": ["Scheduler"]`)
	if status != 0 || !strings.HasPrefix(stdout, "CONFORMING") {
		t.Errorf("exit status %d, stdout %s, stderr %s", status, stdout, stderr)
	}
	status, stdout, stderr = judge(func() {
		m.Commit(swarmtest.Remove(swarmtest.Task("s1-1", "s1", 1, api.TaskStateAssigned))) // assigned, and wanted
		m.Commit(swarmtest.Create(swarmtest.Service("s3", 1)))
	}, "s1-1 is deleted")
	if status != 1 || !strings.HasPrefix(stdout, "VIOLATION") {
		t.Errorf("exit status %d, stdout %s, stderr %s", status, stdout, stderr)
	}
}
