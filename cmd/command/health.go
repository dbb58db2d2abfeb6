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
		Usage:     "ask a running monitor for its health",
		ArgsUsage: "[HOST:PORT]",
		Description: "HOST:PORT is the monitor's address, or a URL: https if the monitor has --web-config. The default is " + config.DefaultListen + ".\n" +
			"Use this command where there is no other HTTP client, such as in the health check of a container.\n\n" +
			"Exit status: 0 healthy, 1 not healthy, 2 wrong usage or no answer.",
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "ready", Destination: &ready, Usage: "also ask whether the monitor is ready: it judges all its parts, and writes its checkpoints in time", DisableDefaultText: true},
			&cli.GenericFlag{Name: "timeout", Value: &timeout, Usage: "wait for the answer for `DURATION` at most"},
		}, access.Flags()...),
		Action: func(c *cli.Context) error {
			monitor, err := openMonitor(c, env, access)
			if err != nil {
				return err
			}
			ctx, cancel := flagvalue.Limited(c.Context, timeout)
			defer cancel()
			well, reasons, err := health.Ask(ctx, monitor, ready)
			switch {
			case err != nil:
				return err
			case well:
				return printLines(env.Stdout, "healthy")
			}
			if err := printLines(env.Stdout, append([]string{"not healthy"}, reasons...)...); err != nil {
				return err
			}
			return verdictStatus(1)
		},
	}
}

func topCommand(env console.Environment) *cli.Command {
	access, once, every := &client.Access{}, false, flagvalue.Duration(2*time.Second)
	return &cli.Command{
		Usage:     "show the state of a running monitor in the terminal",
		ArgsUsage: "[HOST:PORT]",
		Description: "HOST:PORT is the monitor's address, or a URL. The default is " + config.DefaultListen + ".\n" +
			"Press q to quit. If standard output is not a terminal, the state is printed once, as text.\n\n" +
			"Exit status: 0 the state was shown, 2 wrong usage or no answer.",
		Flags: append([]cli.Flag{
			&cli.GenericFlag{Name: "every", Value: &every, Usage: "update every `DURATION`"},
			&cli.BoolFlag{Name: "once", Destination: &once, Usage: "print the state once, as text, and stop", DisableDefaultText: true},
		}, access.Flags()...),
		Action: func(c *cli.Context) error {
			monitor, err := openMonitor(c, env, access)
			if err != nil {
				return err
			}
			return top.Run(c.Context, top.Options{Client: monitor, Every: time.Duration(every), Once: once, In: env.Stdin, Out: env.Stdout})
		},
	}
}

// openMonitor is the monitor that the argument names.
func openMonitor(c *cli.Context, env console.Environment, access *client.Access) (*client.Client, error) {
	if c.NArg() > 1 {
		return nil, errors.New("expected one monitor: HOST:PORT, or a URL")
	}
	return access.Open(c.Args().First(), func(text string) { console.NewLogger(env.Stderr, false).Warn(text) })
}
