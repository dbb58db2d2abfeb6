package command

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// watched is a buffer that states when it has a text.
type watched struct {
	output
	text []byte
	has  chan struct{}
	once sync.Once
}

func newWatched(text string) *watched {
	return &watched{text: []byte(text), has: make(chan struct{})}
}

func (w *watched) Write(p []byte) (int, error) {
	n, err := w.output.Write(p)
	if bytes.Contains([]byte(w.String()), w.text) {
		w.once.Do(func() { close(w.has) })
	}
	return n, err
}

// interrupt is documented at TestScripts.
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: interrupt FILE TEXT ARG…")
	}
	const patience = time.Minute
	cmd := started(ts, "tracecheck", args[2:])
	stdin, err := cmd.StdinPipe()
	ts.Check(err)
	stdout, stderr := newWatched(args[1]), newWatched(args[1])
	cmd.Stdout, cmd.Stderr = stdout, stderr
	ts.Check(cmd.Start())
	_, err = io.WriteString(stdin, ts.ReadFile(args[0]))
	ts.Check(err)
	select {
	case <-stdout.has:
	case <-stderr.has:
	case <-time.After(patience):
		cmd.Process.Kill() // the test fails anyhow
		ts.Fatalf("its output never had %q", args[1])
	}
	ts.Check(cmd.Process.Signal(os.Interrupt))
	late := time.AfterFunc(patience, func() { cmd.Process.Kill() })
	err = cmd.Wait()
	if !late.Stop() {
		ts.Fatalf("it did not end when it was interrupted")
	}
	code := exitStatus(ts, err)
	ts.Check(os.WriteFile(ts.MkAbs("out"), []byte(stdout.String()), 0o666))
	ts.Check(os.WriteFile(ts.MkAbs("err"), []byte(stderr.String()), 0o666))
	ts.Check(os.WriteFile(ts.MkAbs("exit"), []byte(strconv.Itoa(code)+"\n"), 0o666))
}
