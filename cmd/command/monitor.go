package command

import (
	"github.com/urfave/cli/v2"

	"tracecheck/internal/console"
	"tracecheck/internal/version"
	"tracecheck/monitor/config"
	"tracecheck/monitor/service"
	"tracecheck/tlaplus/moduleflags"
)

func monitorCommand(env console.Environment) *cli.Command {
	return &cli.Command{
		Usage: "judge live streams continuously, and send alerts",
		Description: "Reads Kafka topics (--kafka), growing files (--follow) or a live swarm (--swarm). It sends an\n" +
			"alert for each violation, saves its state in checkpoints, and serves a web page.\n" +
			"On SIGTERM, it saves a checkpoint and ends. On SIGHUP, it reads its configuration again.\n\n" +
			"Exit status: 0 it was stopped, 2 wrong usage or configuration, or a failure.",
		Flags: append(config.NewFlags(env.Specs).List, moduleflags.Elsewhere()),
		Action: func(c *cli.Context) error {
			// The flags are read again, with those of the configuration file.
			return service.Run(c.Context, env, env.Args[2:], version.Read().Version, gcPercent(false))
		},
	}
}
