package twophase

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"tracecheck/cmd/command"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"twophase": func() { command.Main(Spec) }})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", RequireExplicitExec: true, Setup: func(env *testscript.Env) error {
		return copyTraces(env.WorkDir)
	}})
}

func copyTraces(to string) error {
	for _, name := range []string{"commit.jsonl", "early.jsonl"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), data, 0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// buffer may be read while a process writes it.
type buffer struct {
	lock sync.Mutex
	b    bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.b.String()
}

// The monitor finds the violation, resumes from its checkpoint in the midst, and
// shows both on its page.
func TestMonitor(t *testing.T) {
	dir := t.TempDir()
	if err := copyTraces(dir); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "early.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(data), "\n")
	log := filepath.Join(dir, "live.jsonl")
	if err := os.WriteFile(log, []byte(strings.Join(lines[:8], "")), 0o600); err != nil {
		t.Fatal(err)
	}
	page, end := monitor(t, dir)
	wait(t, func() bool { return strings.Contains(page("/api/overview"), `"events":8,`) })
	end()
	f, err := os.OpenFile(log, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(strings.Join(lines[8:], "")); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	page, end = monitor(t, dir)
	wait(t, func() bool { return strings.Contains(page("/violations"), "Nearest is TMCommit") })
	wait(t, func() bool {
		return strings.Contains(page("/metrics"), `tracecheck_violations_total{rule="Next",spec="twophase"} 1`)
	})
	end()
	alerts, err := os.ReadFile(filepath.Join(dir, "alerts"))
	if err != nil || strings.Count(string(alerts), "\n") != 1 || !strings.Contains(string(alerts), `"values":["2 of 3"]`) {
		t.Errorf("alerts %s, %v; want one, with what was counted before the checkpoint and after it", alerts, err)
	}
}

// monitor follows live.jsonl.
func monitor(t *testing.T, dir string) (page func(path string) string, end func()) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "twophase", "monitor", "--follow", "live.jsonl", "--checkpoint", "state",
		"--alerts", "alerts", "--listen", "127.0.0.1:0", "--spec", "twophase")
	var stderr buffer
	cmd.Dir, cmd.Stderr = dir, &stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	url := ""
	wait(t, func() bool {
		if at := regexp.MustCompile(`the page is at (\S+)`).FindStringSubmatch(stderr.String()); at != nil {
			url = at[1]
		}
		return url != ""
	})
	page = func(path string) string {
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatalf("%v; the monitor says %s", err, &stderr)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	return page, func() {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Fatalf("%v: %s", err, &stderr)
		}
	}
}

// wait waits for what comes about, or the test's deadline.
func wait(t *testing.T, is func() bool) {
	t.Helper()
	for !is() {
		select {
		case <-t.Context().Done():
			t.Fatal("the test is over")
		case <-time.After(10 * time.Millisecond):
		}
	}
}
