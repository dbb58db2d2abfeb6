package command

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"tracecheck/internal/cmdline"
	"tracecheck/internal/console"
	"tracecheck/internal/garbage"
)

const description = "Exit status: 0 conforming, 1 violation, 2 wrong usage or configuration or an I/O failure, " +
	"3 unusable input."

// about is the heading of the commands about the program itself.
const about = "About tracecheck"

// newApp builds the command line for one run. If the arguments name a command, it makes only
// this one and help: the flags of all commands take a tenth of a short run.
func newApp(env console.Environment) *cli.App {
	list := []struct {
		group, name string
		command     func(console.Environment) *cli.Command
	}{
		{"Judge a trace", "validate", validateCommand},
		{"Judge a trace", "coverage", coverageCommand},
		{"Judge a trace", "specs", specsCommand},
		{"Judge a trace", "bind", bindCommand},
		{"Find the cause", "explain", explainCommand},
		{"Find the cause", "report", reportCommand},
		{"Find the cause", "state", stateCommand},
		{"Find the cause", "diff", diffCommand},
		{"Make a trace", "map", mapCommand},
		{"Make a trace", "record", recordCommand},
		{"Make a trace", "import", importCommand},
		{"Make a trace", "generate", generateCommand},
		{"Share a trace", "slice", sliceCommand},
		{"Share a trace", "shrink", shrinkCommand},
		{"Share a trace", "anonymize", anonymizeCommand},
		{"Share a trace", "export", exportCommand},
		{"Watch a live system", "monitor", monitorCommand},
		{"Watch a live system", "checkpoint", checkpointCommand},
		{"Watch a live system", "top", topCommand},
		{"Watch a live system", "health", healthCommand},
		{"Watch a live system", "converge", convergeCommand},
		{about, cmdline.HelpName, func(env console.Environment) *cli.Command {
			return cmdline.HelpCommand(env.Stdout, flagGroups, noCommand)
		}},
		{about, "version", versionCommand},
		{about, "completion", completionCommand},
		{"", writerName, writerCommand},
	}
	one := ""
	for _, c := range list {
		if len(env.Args) > 1 && env.Args[1] == c.name && c.name != cmdline.HelpName {
			one = c.name
		}
	}
	app := &cli.App{
		Name:        "tracecheck",
		Usage:       "checks recorded production logs against TLA+ specs",
		Description: description,
		Action:      func(c *cli.Context) error { return noCommand(c.App, c.Args().Slice()) },
	}
	app.BashComplete = func(c *cli.Context) { complete(env, app, nil) }
	for _, c := range list {
		if one != "" && c.name != one && c.name != cmdline.HelpName {
			continue
		}
		cmd := c.command(env)
		cmd.Name, cmd.Category = c.name, c.group
		if live := c.name == "monitor"; c.group != about && env.Collect != nil { // setting it takes a tenth of a short run
			cmd.Before = func(c *cli.Context) error {
				env.Collect(!live && (c.IsSet("bind") || c.IsSet("module")), live || c.IsSet("kafka") || garbage.IsLarge(c.Args().Slice()))
				return nil
			}
		}
		cmd.BashComplete = func(*cli.Context) { complete(env, app, cmd) }
		app.Commands = append(app.Commands, cmd)
	}
	return app
}

// noCommand is the error for a command line without a valid command.
func noCommand(app *cli.App, args []string) error {
	names := commandNames(app)
	if len(args) == 0 {
		return errors.New("no command: expected one of " + strings.Join(names, ", ") + "; see `tracecheck help`")
	}
	if _, err := os.Stat(args[0]); err == nil || args[0] == "-" {
		return fmt.Errorf("%s is a file, not a command: to judge it, run `tracecheck validate %s`", args[0], args[0])
	}
	return cmdline.UnknownCommand(args, names, "validate")
}

func commandNames(app *cli.App) []string {
	var names []string
	for _, cmd := range app.Commands {
		if !cmd.Hidden {
			names = append(names, cmd.Name)
		}
	}
	return names
}
