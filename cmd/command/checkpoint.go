package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"tracecheck/internal/amount"
	"tracecheck/internal/cmdline"
	"tracecheck/internal/console"
	"tracecheck/internal/flagvalue"
	"tracecheck/monitor/checkpoint/local"
	"tracecheck/monitor/checkpoint/show"
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
		Usage:     "verify, show or back up a monitor's checkpoint file",
		ArgsUsage: "verify|show FILE | backup FILE DEST",
		Description: "FILE is the file of the monitor's --checkpoint. The monitor may be running: the command reads a\n" +
			"copy in the folder for temporary files. verify reads FILE and FILE.alt completely, and reports\n" +
			"damage. show prints the contents. backup writes the last checkpoints to the new file DEST, for\n" +
			"monitor --checkpoint DEST.\n\n" +
			"Exit status: 0 no damage, 2 wrong usage or an I/O failure, 3 damage.",
		Flags: []cli.Flag{
			&cli.GenericFlag{Name: "output", Aliases: []string{"o"}, Value: s.output, Usage: "`FORMAT` of verify and show: text or json"},
			&cli.BoolFlag{Name: "streams", Destination: &s.streams, Usage: "show each stream with the size of its state", DisableDefaultText: true},
		},
		Action: func(c *cli.Context) error {
			args := c.Args().Slice()
			want := map[string]int{verifyCheckpoint: 2, showCheckpoint: 2, backupCheckpoint: 3}
			switch {
			case len(args) == 0 || want[args[0]] != len(args):
				return errors.New("expected tracecheck checkpoint verify|show FILE, or tracecheck checkpoint backup FILE DEST" + cmdline.Meant(args, checkpointDeeds()...))
			case c.IsSet("streams") && args[0] != showCheckpoint:
				return errors.New("--streams is for show")
			case c.IsSet("output") && args[0] == backupCheckpoint:
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
		if err := r.Backup(args[2]); errors.Is(err, local.ErrDamaged) {
			return unusableInput{fmt.Errorf("cannot back up %s: %w", args[1], err)}
		} else if err != nil {
			return fmt.Errorf("cannot back up %s: %w", args[1], err)
		}
		console.NewLogger(env.Stderr, false).Info(fmt.Sprintf("%s has the last checkpoints of %s", args[2], amount.Of(len(all.Parts), "part")))
		return nil
	case showCheckpoint:
		if err := all.AddStreams(ctx, r, s.streams); err != nil {
			return err
		}
	default:
		all.Forget()
	}
	write := all.WriteText
	if s.output.Value == outputJSON {
		write = all.WriteJSON
	}
	if err := write(env.Stdout); err != nil {
		return fmt.Errorf("cannot write it: %w", err)
	}
	if all.Damaged {
		return verdictStatus(validators.Unusable.ExitStatus())
	}
	return nil
}
