package command

import (
	"errors"
	"time"

	"github.com/urfave/cli/v2"

	"tracecheck/internal/console"
	"tracecheck/internal/flagvalue"
	"tracecheck/monitor/config"
	"tracecheck/monitor/health"
)

func healthCommand(env console.Environment) *cli.Command {
	q, timeout := &health.Question{}, flagvalue.Duration(5*time.Second)
	return &cli.Command{
		Name:      "health",
		Usage:     "ask a running monitor for its health",
		ArgsUsage: "[HOST:PORT]",
		Description: "HOST:PORT is where the monitor listens, " + config.DefaultListen + " unless another is named; or a URL, of https where the monitor has --web-config. This is for\n" +
			"what has no other client, such as the health check of a container.\n\n" +
			"Exit status: 0 well, 1 unwell, 2 wrong usage or no answer.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "ready", Destination: &q.Ready, Usage: "is it ready, too: does it judge all of its parts, with checkpoints in time?", DisableDefaultText: true},
			&cli.GenericFlag{Name: "timeout", Value: &timeout, Usage: "wait for the answer for `DURATION`"},
			&cli.StringFlag{Name: "ca", Destination: &q.CA, Usage: "of https, believe the authorities in the PEM `FILE`", DefaultText: "the system's"},
			&cli.StringFlag{Name: "server-name", Destination: &q.ServerName, Usage: "there, want a certificate for `NAME`", DefaultText: "the URL's host"},
			&cli.StringFlag{Name: "cert", Destination: &q.Cert, Usage: "there, show the certificate in the PEM `FILE`", DefaultText: "none"},
			&cli.StringFlag{Name: "key", Destination: &q.Key, Usage: "its key is in the PEM `FILE`"},
			&cli.StringFlag{Name: "user", Destination: &q.User, Usage: "log in as `NAME`", DefaultText: "no login"},
			&cli.StringFlag{Name: "password-file", Destination: &q.Password, Usage: "the password is in `FILE`"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() > 1 {
				return errors.New("want one monitor to ask")
			}
			ctx, cancel := flagvalue.Limited(c.Context, timeout)
			defer cancel()
			well, reasons, err := q.Ask(ctx, c.Args().First(), func(text string) { console.NewLogger(env.Stderr, false).Warn(text) })
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
