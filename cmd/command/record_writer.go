package command

import (
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"time"

	"github.com/urfave/cli/v2"

	"tracecheck/internal/console"
	"tracecheck/internal/tracefile"
)

const writerName = "record-writer"

func (s *recordSettings) fileArgs() []string {
	args := []string{writerName, "--compress", s.compress.Value}
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

// written returns the result of the process that writes.
func written(err error) error {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == statusUsage {
		return verdictStatus(statusUsage) // it has printed the reason
	}
	if err != nil {
		return fmt.Errorf("the process that writes the recording has failed: %w", err)
	}
	return nil
}

// writerCommand is the process that writes. It ignores signals, and ends with its input.
func writerCommand(env console.Environment) *cli.Command {
	s := newRecordSettings()
	return &cli.Command{
		Hidden: true,
		Flags:  s.fileFlags(),
		Action: func(*cli.Context) error {
			r := &tracefile.File{
				Name: s.output, Private: true, Recording: true, Stdout: env.Stdout, Compression: s.compress.Value,
				MaxSize: int64(s.rotateSize), MaxAge: time.Duration(s.rotateAge),
			}
			return errors.Join(r.ReadFrames(env.Stdin), r.Close())
		},
	}
}
