package command

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"tracecheck/internal/cmdline"
	"tracecheck/internal/console"
)

const description = "Exit status: 0 conforming, 1 violation, 2 wrong usage or configuration or an I/O failure, " +
	"3 unusable input."

// about is the heading of the commands about the program itself.
const about = "About tracecheck"

// newApp builds the command line for one run.
func newApp(env console.Environment) *cli.App {
	all := env.Specs
	app := &cli.App{
		Name:        "tracecheck",
		Usage:       "checks recorded production logs against TLA+ specs",
		Description: description,
		Commands: slices.Concat(
			grouped("Judge a trace", validateCommand(env, all), coverageCommand(env, all), specsCommand(env, all), bindCommand(env)),
			grouped("Find the cause", explainCommand(env, all), reportCommand(env, all), stateCommand(env), diffCommand(env)),
			grouped("Make a trace", mapCommand(env, all), recordCommand(env), importCommand(env), generateCommand(env, all)),
			grouped("Share a trace", sliceCommand(env, all), shrinkCommand(env, all), anonymizeCommand(env, all), exportCommand(env, all)),
			grouped("Watch a live system", monitorCommand(env, all), checkpointCommand(env), topCommand(env), healthCommand(env), convergeCommand(env)),
			grouped(about, cmdline.HelpCommand(env.Stdout, flagGroups, noCommand), versionCommand(env), completionCommand(env)),
			[]*cli.Command{writerCommand(env)},
		),
		Action: func(c *cli.Context) error { return noCommand(c.App, c.Args().Slice()) },
	}
	app.BashComplete = func(c *cli.Context) { complete(env, app, nil) }
	for _, cmd := range app.Commands {
		if cmd.Category != about && env.Collect != nil { // setting it takes a tenth of a short run
			cmd.Before = func(c *cli.Context) error {
				env.Collect(cmd.Name != "monitor" && (c.IsSet("bind") || c.IsSet("module")))
				return nil
			}
		}
		cmd.BashComplete = func(*cli.Context) { complete(env, app, cmd) }
	}
	return app
}

// grouped puts commands under a heading of the help.
func grouped(group string, commands ...*cli.Command) []*cli.Command {
	for _, cmd := range commands {
		cmd.Category = group
	}
	return commands
}

// noCommand is the error for a command line without a valid command.
func noCommand(app *cli.App, args []string) error {
	names := commandNames(app)
	if len(args) == 0 {
		return errors.New("no command: expected one of " + strings.Join(names, ", ") + "; see `tracecheck help`")
	}
	if _, err := os.Stat(args[0]); err == nil {
		return fmt.Errorf("%s is a file, and no command: to judge it, run `tracecheck validate %s`", args[0], args[0])
	}
	return cmdline.UnknownWord("command", args[0], names)
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
