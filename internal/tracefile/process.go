package tracefile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/tidwall/gjson"
)

// A recording is stored by a separate process. Even one write may be cut
// short when the process that makes it is killed; this one outlives a recorder
// that is, stores what it was handed whole, and ends the file properly.

// Writer is the recorder's end.
type Writer struct {
	cmd  *exec.Cmd
	pipe io.WriteCloser
	Done chan struct{} // closed: it has ended
	err  error         // how; read it after Done
}

// Start starts this program once more, with arguments for which it calls
// ReadFrames.
func Start(stdout, stderr io.Writer, args ...string) (*Writer, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("cannot start the process that writes: %w", err)
	}
	cmd := exec.Command(self)
	cmd.Args = append([]string{"tracecheck"}, args...)
	cmd.Stdout, cmd.Stderr = stdout, stderr // separate: it may outlive this process
	pipe, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("cannot start the process that writes: %w", err)
	}
	w := &Writer{cmd: cmd, pipe: pipe, Done: make(chan struct{})}
	go func() {
		w.err = cmd.Wait()
		close(w.Done)
	}()
	return w, nil
}

// WriteLines hands over lines that belong together.
func (w *Writer) WriteLines(lines []byte) error {
	frame := binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(lines)), uint32(len(lines)))
	_, err := w.pipe.Write(append(frame, lines...))
	return err
}

// Close waits until all is stored, and returns how the process ended.
func (w *Writer) Close() error {
	w.pipe.Close() // fails where the process has ended, which is what counts
	<-w.Done
	return w.err
}

// ReadFrames stores each frame but one that is cut short. The first is the header; a
// later meta line is that of the files from there on.
func (r *File) ReadFrames(frames io.Reader) error {
	var err error
	if r.header, err = readFrame(frames); err != nil {
		return nil // nothing was recorded
	}
	for {
		lines, err := readFrame(frames)
		if err != nil {
			return nil // the recorder has ended, or was killed
		}
		if first, _, _ := bytes.Cut(lines, []byte{'\n'}); gjson.GetBytes(first, "kind").Str == "meta" {
			r.header = append(bytes.Clone(first), '\n')
		}
		if err := r.WriteLines(lines); err != nil {
			return err
		}
	}
}

func readFrame(r io.Reader) ([]byte, error) {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return nil, err
	}
	lines := make([]byte, binary.BigEndian.Uint32(size[:]))
	_, err := io.ReadFull(r, lines)
	return lines, err
}
