package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"tracecheck/ingest"
	"tracecheck/internal/amount"
	"tracecheck/internal/console"
	"tracecheck/internal/flagvalue"
	"tracecheck/report"
	"tracecheck/tlaplus/moduleflags"
	"tracecheck/validators"
	"tracecheck/validators/judgeflags"
)

// bindSettings are the flags of bind.
type bindSettings struct {
	check   bool
	module  moduleflags.Flags
	maxLine flagvalue.Size
}

// shownLines is the number of first lines that bind --check shows, of events, and of errors.
const shownLines = 10

// bindExample is a first bind file.
const bindExample = `   module: Lock.tla
   event: e.event
   actions:
     ask: Ask(e.client)
     acquire: Acquire(e.client)
   observe:
     holder: e.holder`

func bindCommand(env console.Environment) *cli.Command {
	s := &bindSettings{}
	return &cli.Command{
		Usage:     "check a bind file: what a log means in terms of a TLA+ module",
		ArgsUsage: "FILE [LOG…]",
		Description: "Reads the bind file with its module and cfg, and lists all faults. With a log, it shows what the first lines mean.\n" +
			"It also counts the lines of each event, and lists the observed values that no line has.\n" +
			"`tracecheck validate --bind FILE LOG…` then judges the log (docs/bind.md). Here is a first bind file, for a log with\n" +
			"lines such as {\"event\": \"ask\", \"client\": \"anna\"}. The right-hand sides are TLA+:\n\n" + bindExample + "\n\n" +
			"Exit status: 0 no fault, 2 wrong usage, faults in the bind file or an I/O failure, 3 a line has no meaning.",
		Flags: slices.Concat([]cli.Flag{
			&cli.BoolFlag{Name: "check", Destination: &s.check, Usage: "check the bind file, and what the lines of the log mean", DisableDefaultText: true},
		}, s.module.OfBind("bind", "full", "max-states"), []cli.Flag{judgeflags.MaxLineFlag(&s.maxLine)}),
		Action: func(c *cli.Context) error { return s.run(c.Context, env, c.Args().Slice()) },
	}
}

func (s *bindSettings) run(ctx context.Context, env console.Environment, args []string) error {
	switch {
	case !s.check:
		return errors.New("add --check: `tracecheck bind --check FILE [LOG…]` checks a bind file, `tracecheck validate --bind FILE LOG…` judges by it")
	case len(args) == 0:
		return errors.New("no bind file: name it, and then the log if there is one")
	}
	m := &s.module
	m.Bind = args[0]
	if _, err := m.Bound(nil); err != nil {
		return err
	}
	if len(args) == 1 {
		d := m.With.Spec
		first := fmt.Sprintf("%s: no fault: %s has %s and %s", args[0], d.Module, amount.Of(len(d.Actions), "action"), amount.Of(len(d.Rules), "rule"))
		return printLines(env.Stdout, append([]string{first}, m.With.Loose...)...)
	}
	out := bufio.NewWriter(report.Visible(env.Stdout))
	faults, err := s.look(ctx, env, m, out, args[1:])
	if flushErr := out.Flush(); flushErr != nil {
		return fmt.Errorf("cannot write: %w", flushErr)
	}
	if err == nil && faults > 0 {
		return verdictStatus(validators.Unusable.ExitStatus())
	}
	return unusable(err)
}

// look shows the meaning of the first lines, and counts the events of all lines.
func (s *bindSettings) look(ctx context.Context, env console.Environment, m *moduleflags.Flags, out io.Writer, names []string) (faults int, err error) {
	reader, err := ingest.Open(names, ingest.Options{MaxLine: int(s.maxLine), Stdin: env.Stdin, Lines: m.Lines()})
	if err != nil {
		return 0, err
	}
	defer reader.Close() // read only: nothing is lost
	checker := m.With.Checker()
	block, err := reader.Next(ctx)
	for ; err == nil; block, err = reader.Next(ctx) {
		for i := range block.Events {
			ev := &block.Events[i]
			others := checker.Other
			text, bad := checker.Line(ev)
			if bad != nil {
				text = "error: " + bad.Error()
				faults++
			}
			step := checker.Other == others && checker.Lines-checker.Other <= shownLines
			if step || checker.Lines <= shownLines || bad != nil && faults <= shownLines {
				fmt.Fprintf(out, "%s  %s\n", ev.Pos, report.Clean(text))
			}
		}
		block.Release()
	}
	checker.Done() // also with an error: the lines before it are counted
	fmt.Fprintf(out, "%s, of which %d are steps\n", amount.Of(checker.Lines, "line"), checker.Lines-checker.Other)
	for _, c := range checker.Counts {
		name := c.Event
		if name == "" {
			name = "(any step: the line does not name its event)"
		}
		if c.Fault != "" {
			name += ", unknown, first at " + c.First.String() + ": " + c.Fault
		}
		fmt.Fprintf(out, "%8d  %s\n", c.Lines, report.Clean(name))
	}
	for _, note := range checker.Notes {
		fmt.Fprintln(out, report.Clean(note))
	}
	if err == io.EOF {
		err = nil
	}
	return faults, err
}
