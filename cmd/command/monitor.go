package command

import (
	"github.com/urfave/cli/v2"

	"tracecheck/internal/console"
	"tracecheck/monitor/config"
	"tracecheck/monitor/service"
	"tracecheck/validators"
)

func monitorCommand(env console.Environment, all []*validators.Spec) *cli.Command {
	return &cli.Command{
		Name:  "monitor",
		Usage: "judge live streams without end, and send alerts",
		Description: "Reads topics of Kafka (--kafka), files that grow (--follow) or a live swarm (--swarm),\n" +
			"keeps what it knows in checkpoints, sends alerts, and shows how it does on a web page.\n" +
			"SIGTERM saves and ends it, SIGHUP has it read its configuration again.\n\n" +
			"Exit status: 0 it was ended, 2 wrong usage or configuration, or it cannot go on.",
		Flags: config.NewFlags(all).List,
		Action: func(c *cli.Context) error {
			// The flags are read again, with those of the configuration file.
			return service.Run(c.Context, env, env.Args[2:], readVersion().Version, gcPercent(c.IsSet("bind")))
		},
	}
}
