package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"
	"go.uber.org/zap"

	"tracecheck/ingest/swarm"
	"tracecheck/internal/console"
	"tracecheck/internal/flagvalue"
	"tracecheck/internal/tracefile"
)

// recordSettings are the flags of record.
type recordSettings struct {
	socket     string
	output     string
	stream     string
	rotateSize flagvalue.Size
	rotateAge  flagvalue.Duration
	compress   flagvalue.Choice
	duration   flagvalue.Duration
}

func recordCommand(env console.Environment) *cli.Command {
	s := newRecordSettings()
	return &cli.Command{
		Usage: "record a live Docker swarm as a trace",
		Description: "Records until you interrupt it. It reads a swarm's changes from a manager's control socket, which\n" +
			"only root can read. After an outage of the manager, the recording continues. If the manager has\n" +
			"not kept the changes, the recording has a jump in seq (validate --on-gap).\n\n" +
			"Exit status: 0 recorded, 2 wrong usage or an I/O failure.",
		Flags: s.flags(),
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return fmt.Errorf("unexpected argument %q: name the file with --output", c.Args().First())
			}
			return s.run(c.Context, env)
		},
	}
}

func newRecordSettings() *recordSettings {
	return &recordSettings{compress: flagvalue.Choice{Allowed: tracefile.Compressions}}
}

func (s *recordSettings) flags() []cli.Flag {
	return append(append([]cli.Flag{swarmFlag(&s.socket)}, s.fileFlags()...),
		&cli.StringFlag{Name: "stream", Destination: &s.stream, Usage: "give the trace's stream a `NAME`"},
		flagvalue.DurationFlag(&s.duration))
}

func (s *recordSettings) fileFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Destination: &s.output, Usage: "write to `FILE`, which must be new", DefaultText: "standard output"},
		&cli.GenericFlag{Name: "rotate-size", Value: &s.rotateSize, Usage: "begin a new, numbered file when one has `BYTES`, such as 64MiB", DefaultText: "one file"},
		&cli.GenericFlag{Name: "rotate-age", Value: &s.rotateAge, Usage: "begin a new, numbered file when one is `DURATION` old, such as 1h", DefaultText: "one file"},
		&cli.GenericFlag{Name: "compress", Value: &s.compress, Usage: "the compression: `none|gzip|zstd`", DefaultText: "gzip for .gz, zstd for .zst, otherwise none"},
	}
}

func swarmFlag(socket *string) cli.Flag {
	return &cli.StringFlag{Name: "swarm", Destination: socket, Usage: "the manager's control `SOCKET`", DefaultText: swarm.DefaultSocket}
}

func (s *recordSettings) run(ctx context.Context, env console.Environment) error {
	if err := s.check(env); err != nil {
		return err
	}
	log := console.NewLogger(env.Stderr, true)
	ctx, cancel := flagvalue.Limited(ctx, s.duration)
	defer cancel()
	source, err := swarm.Open(ctx, swarm.Options{Socket: s.socket, Stream: s.stream, Log: log})
	if err != nil {
		return err
	}
	out, err := tracefile.Start(env.Stdout, env.Screen, s.fileArgs()...)
	if err != nil {
		return err
	}
	go func() {
		<-out.Done // the next write may be much later
		cancel()
	}()
	events, gaps := 0, 0
	if err = out.WriteLines(source.Meta()); err == nil {
		err = source.Run(ctx, func(b swarm.Batch) error {
			if b.Gap {
				gaps++
			}
			events += b.Events
			return out.WriteLines(b.Lines)
		})
	}
	if closeErr := written(out.Close()); closeErr != nil {
		return closeErr // it has the reason of a failed write, too
	}
	log.Info("recorded", zap.Int("events", events), zap.Int("gaps", gaps))
	return err
}

// check checks the combination of the flags.
func (s *recordSettings) check(env console.Environment) error {
	if s.compress.Value == "" {
		s.compress.Value = tracefile.CompressionOf(s.output)
	}
	if s.output == "-" {
		s.output = ""
	}
	switch {
	case s.output == "" && (s.rotateSize > 0 || s.rotateAge > 0):
		return errors.New("rotation needs files: name them with --output")
	case s.output == "" && s.compress.Value != tracefile.CompressNone && console.IsTerminal(env.Stdout):
		return errors.New("compressed data is not for a terminal: name a file with --output")
	}
	return nil
}
