package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"tracecheck/internal/cmdline"
	"tracecheck/internal/console"
	"tracecheck/internal/flagvalue"
	"tracecheck/monitor/checkpoint/local"
	"tracecheck/monitor/checkpoint/show"
	"tracecheck/report"
	"tracecheck/validators"
)

// checkpointSettings are the flags of checkpoint.
type checkpointSettings struct {
	output  *flagvalue.Choice
	streams bool
}

// What can be done with the checkpoints in a file.
const (
	verifyCheckpoint = "verify"
	showCheckpoint   = "show"
	backupCheckpoint = "backup"
)

func checkpointDeeds() []string {
	return []string{verifyCheckpoint, showCheckpoint, backupCheckpoint}
}

func checkpointCommand(env console.Environment) *cli.Command {
	s := &checkpointSettings{output: outputChoice()}
	return &cli.Command{
		Name:      "checkpoint",
		Usage:     "verify, show or back up a monitor's checkpoint file",
		ArgsUsage: "verify|show FILE | backup FILE DEST",
		Description: "FILE is that of monitor's --checkpoint, which may be running: it is read as it is between two\n" +
			"checkpoints, from a copy in the folder for temporary files. verify reads all of it, and says what\n" +
			"is damaged. show says what it knows. backup writes the last checkpoints to the new file DEST, with\n" +
			"which a monitor can begin.\n\n" +
			"Exit status: 0 in order, 2 wrong usage or an I/O failure, 3 something is damaged.",
		Flags: []cli.Flag{
			&cli.GenericFlag{Name: "output", Aliases: []string{"o"}, Value: s.output, Usage: "of verify and show, `FORMAT`: text or json"},
			&cli.BoolFlag{Name: "streams", Destination: &s.streams, Usage: "of show, each stream with the size of its state", DisableDefaultText: true},
		},
		Action: func(c *cli.Context) error {
			args := c.Args().Slice()
			want := map[string]int{verifyCheckpoint: 2, showCheckpoint: 2, backupCheckpoint: 3}
			if len(args) == 0 || want[args[0]] != len(args) {
				return errors.New("want verify or show and a file, or backup and two: tracecheck checkpoint verify|show FILE, tracecheck checkpoint backup FILE DEST" + cmdline.Meant(args, checkpointDeeds()...))
			}
			if c.IsSet("streams") && args[0] != showCheckpoint {
				return errors.New("--streams is for show")
			}
			if c.IsSet("output") && args[0] == backupCheckpoint {
				return errors.New("--output is for verify and show")
			}
			return s.run(c.Context, env, args)
		},
	}
}

func (s *checkpointSettings) run(ctx context.Context, env console.Environment, args []string) error {
	r, err := local.Read(ctx, args[1])
	if err != nil {
		return err
	}
	defer r.Close()
	all := show.Of(r)
	switch args[0] {
	case backupCheckpoint:
		if err := r.Backup(args[2]); err != nil {
			return unusableInput{fmt.Errorf("cannot back up %s: %w", args[1], err)}
		}
		console.NewLogger(env.Stderr, false).Info(fmt.Sprintf("%s has the last checkpoints of %s", args[2], report.Count(len(all.Parts), "part")))
		return nil
	case showCheckpoint:
		if err := all.AddStreams(ctx, r, s.streams); err != nil {
			return err
		}
	default:
		all.Forget()
	}
	if s.output.Value == outputJSON {
		err = all.WriteJSON(env.Stdout)
	} else {
		err = all.WriteText(env.Stdout)
	}
	if err != nil {
		return fmt.Errorf("cannot write it: %w", err)
	}
	if all.Damaged {
		return verdictStatus(validators.Unusable.ExitStatus())
	}
	return nil
}
