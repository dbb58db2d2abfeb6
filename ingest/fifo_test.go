//go:build unix

package ingest

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A named pipe is opened once, when its turn comes; to look at it is not to
// wait for its writer.
func TestNamedPipe(t *testing.T) {
	noLeak(t)
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	opened := make(chan *Reader)
	go func() { opened <- open(t, nil, 0, pipe) }()
	var r *Reader
	select {
	case r = <-opened:
	case <-time.After(time.Minute):
		t.Fatal("Open waits for the pipe's writer")
	}
	if _, total := r.Progress(); total != -1 {
		t.Errorf("total is %d, want -1", total)
	}
	w, err := os.OpenFile(pipe, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, id := range []string{"a", "b"} {
		if _, err := w.WriteString(node(id) + "\n"); err != nil {
			t.Fatal(err)
		}
		b, err := r.Next(t.Context())
		if err != nil || b.Events[0].ID != id {
			t.Fatalf("got %v, %v, want the event %s", b, err, id)
		}
	}
	r.Close() // while the read blocks
}
