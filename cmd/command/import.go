package command

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"tracecheck/internal/cmdline"
	"tracecheck/internal/console"
)

// raftImporter is the separate program that reads raft logs. Its dependencies are larger than
// this program.
const raftImporter = "tracecheck-raft"

// importSettings are the flags of import, which are passed on to the importer.
type importSettings struct {
	output    string
	unlockKey string
	stream    string
	fromStart bool
}

func importCommand(env console.Environment) *cli.Command {
	s := &importSettings{}
	return &cli.Command{
		Usage:     "turn a swarm manager's raft log into a trace",
		ArgsUsage: "raft DIR",
		Description: "import raft reads the raft log and the snapshots in DIR. DIR is a copy of a swarm manager's\n" +
			"directory (/var/lib/docker/swarm). Make the copy while its Engine is stopped.\n\n" +
			"Exit status: 0 imported, 2 wrong usage, or an entry cannot be read; the steps before it are written.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Destination: &s.output, Usage: "write to `FILE`, which must be new", DefaultText: "standard output"},
			&cli.StringFlag{Name: "unlock-key-file", Destination: &s.unlockKey, Usage: "read a locked swarm's unlock key from `FILE`", DefaultText: "$TRACECHECK_UNLOCK_KEY"},
			&cli.BoolFlag{Name: "from-start", Destination: &s.fromStart, Usage: "begin with the oldest usable snapshot in DIR, not with the newest", DisableDefaultText: true},
			&cli.StringFlag{Name: "stream", Destination: &s.stream, Usage: "give the trace's stream a `NAME`"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 2 || c.Args().First() != "raft" {
				return errors.New("expected raft and one directory: tracecheck import raft DIR" + cmdline.Meant(c.Args().Slice(), "raft"))
			}
			return s.run(c, env)
		},
	}
}

func (s *importSettings) run(c *cli.Context, env console.Environment) error {
	program, err := findImporter()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(c.Context, program, append(s.args(), "--", c.Args().Get(1))...)
	cmd.Stdout, cmd.Stderr = console.ForTerminal(env.Stdout), env.Stderr
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.Exited() {
		return verdictStatus(exit.ExitCode()) // the importer has printed the reason
	}
	return err
}

func (s *importSettings) args() []string {
	args := []string{"-output=" + s.output, "-unlock-key-file=" + s.unlockKey, "-stream=" + s.stream}
	if s.fromStart {
		args = append(args, "-from-start")
	}
	return args
}

// findImporter looks for the importer in the folder of this program, and then in PATH.
func findImporter() (string, error) {
	if self, err := os.Executable(); err == nil {
		if path, err := exec.LookPath(filepath.Join(filepath.Dir(self), raftImporter)); err == nil {
			return path, nil
		}
	}
	path, err := exec.LookPath(raftImporter)
	if err != nil {
		return "", fmt.Errorf("no %s beside tracecheck or in PATH: build it with `go -C ingest/raftlog install ./cmd/%s` in tracecheck's source", raftImporter, raftImporter)
	}
	return path, nil
}
