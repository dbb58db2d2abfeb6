package command

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/tidwall/gjson"
	"github.com/urfave/cli/v2"

	"tracecheck/internal/console"
)

// A recording is stored by a process of its own. Even one write may be cut
// short when the process that makes it is killed; this one outlives a recorder
// that is, stores what it was handed whole, and ends the file properly.

const writerName = "record-writer"

// writer is the recorder's end.
type writer struct {
	cmd  *exec.Cmd
	pipe io.WriteCloser
	done chan struct{} // closed: it has ended
	err  error         // how; read it after done
}

func (s *recordSettings) startWriter(env console.Environment) (*writer, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("cannot start the process that writes: %w", err)
	}
	cmd := exec.Command(self)
	cmd.Args = append([]string{"tracecheck", writerName}, s.fileArgs()...)
	cmd.Stdout, cmd.Stderr = env.Stdout, env.Screen // of its own: it may outlive this process
	pipe, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("cannot start the process that writes: %w", err)
	}
	w := &writer{cmd: cmd, pipe: pipe, done: make(chan struct{})}
	go func() {
		w.err = cmd.Wait()
		close(w.done)
	}()
	return w, nil
}

func (s *recordSettings) fileArgs() []string {
	args := []string{"--compress", s.compress.Value}
	if s.output != "" {
		args = append(args, "--output", s.output)
	}
	if s.rotateSize > 0 {
		args = append(args, "--rotate-size", strconv.Itoa(int(s.rotateSize)))
	}
	if s.rotateAge > 0 {
		args = append(args, "--rotate-age", s.rotateAge.String())
	}
	return args
}

// write hands over lines that belong together.
func (w *writer) write(lines []byte) error {
	frame := binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(lines)), uint32(len(lines)))
	_, err := w.pipe.Write(append(frame, lines...))
	return err
}

// close waits until all is stored.
func (w *writer) close() error {
	w.pipe.Close() // fails where the process has ended, which is what counts
	<-w.done
	if exit, ok := errors.AsType[*exec.ExitError](w.err); ok && exit.ExitCode() == statusUsage {
		return verdictStatus(statusUsage) // it has said why
	}
	if w.err != nil {
		return fmt.Errorf("the process that writes the recording has failed: %w", w.err)
	}
	return nil
}

// writerCommand is the other end. It takes no signal for its end, only that of
// its input.
func writerCommand(env console.Environment) *cli.Command {
	s := newRecordSettings()
	return &cli.Command{
		Name:   writerName,
		Hidden: true,
		Flags:  s.fileFlags(),
		Action: func(*cli.Context) error {
			r := &recording{
				name: s.output, stdout: env.Stdout, compression: s.compress.Value,
				maxSize: int64(s.rotateSize), maxAge: time.Duration(s.rotateAge),
			}
			return errors.Join(r.readAll(env.Stdin), r.close())
		},
	}
}

// readAll stores each frame but one that is cut short. The first is the header; a
// later meta line is that of the files from there on.
func (r *recording) readAll(frames io.Reader) error {
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
		if err := r.write(lines); err != nil {
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
