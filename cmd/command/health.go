package command

import (
	"errors"
	"time"

	"github.com/urfave/cli/v2"

	"tracecheck/internal/console"
	"tracecheck/internal/flagvalue"
	"tracecheck/monitor/client"
	"tracecheck/monitor/config"
	"tracecheck/monitor/health"
	"tracecheck/monitor/top"
)

func healthCommand(env console.Environment) *cli.Command {
	access, ready, timeout := &client.Access{}, false, flagvalue.Duration(5*time.Second)
	return &cli.Command{
		Name:      "health",
		Usage:     "ask a running monitor for its health",
		ArgsUsage: "[HOST:PORT]",
		Description: "HOST:PORT is where the monitor listens, " + config.DefaultListen + " unless another is named; or a URL, of https where the monitor has --web-config. This is for\n" +
			"what has no other client, such as the health check of a container.\n\n" +
			"Exit status: 0 well, 1 unwell, 2 wrong usage or no answer.",
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "ready", Destination: &ready, Usage: "is it ready, too: does it judge all of its parts, with checkpoints in time?", DisableDefaultText: true},
			&cli.GenericFlag{Name: "timeout", Value: &timeout, Usage: "wait for the answer for `DURATION`"},
		}, access.Flags()...),
		Action: func(c *cli.Context) error {
			asked, err := openMonitor(c, env, access)
			if err != nil {
				return err
			}
			ctx, cancel := flagvalue.Limited(c.Context, timeout)
			defer cancel()
			well, reasons, err := health.Ask(ctx, asked, ready)
			switch {
			case err != nil:
				return err
			case well:
				return printLines(env.Stdout, "well")
			}
			if err := printLines(env.Stdout, append([]string{"unwell"}, reasons...)...); err != nil {
				return err
			}
			return verdictStatus(1)
		},
	}
}

func topCommand(env console.Environment) *cli.Command {
	access, once, every := &client.Access{}, false, flagvalue.Duration(2*time.Second)
	return &cli.Command{
		Name:      "top",
		Usage:     "show in the terminal how a running monitor does",
		ArgsUsage: "[HOST:PORT]",
		Description: "HOST:PORT is where the monitor listens, " + config.DefaultListen + " unless another is named; or a URL.\n" +
			"q ends it. Where standard output is no terminal, it is shown once, as text.\n\n" +
			"Exit status: 0 it was ended or shown, 2 wrong usage or no answer.",
		Flags: append([]cli.Flag{
			&cli.GenericFlag{Name: "every", Value: &every, Usage: "look again after `DURATION`"},
			&cli.BoolFlag{Name: "once", Destination: &once, Usage: "look once, and show it as text", DisableDefaultText: true},
		}, access.Flags()...),
		Action: func(c *cli.Context) error {
			asked, err := openMonitor(c, env, access)
			if err != nil {
				return err
			}
			return top.Run(c.Context, top.Options{Client: asked, Every: time.Duration(every), Once: once, In: env.Stdin, Out: env.Stdout})
		},
	}
}

// openMonitor is the monitor that the argument names.
func openMonitor(c *cli.Context, env console.Environment, access *client.Access) (*client.Client, error) {
	if c.NArg() > 1 {
		return nil, errors.New("want one monitor to ask")
	}
	return access.Open(c.Args().First(), func(text string) { console.NewLogger(env.Stderr, false).Warn(text) })
}
