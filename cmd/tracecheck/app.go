package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"tracecheck/specs"
)

const description = `Exit status: 0 conforming, 1 violation, 2 wrong usage or configuration or an
I/O failure, 3 unusable input.`

// newApp builds the command line. Nothing of it outlives the run.
func newApp(env environment) *cli.App {
	all := specs.All()
	app := &cli.App{
		Name:        "tracecheck",
		Usage:       "checks recorded production logs against TLA+ specs",
		Description: description,
		Reader:      env.stdin,
		Writer:      env.stdout,
		ErrWriter:   env.stderr,
		HideVersion: true, // a command of its own
		Commands: []*cli.Command{
			validateCommand(env, all),
			coverageCommand(env, all),
			explainCommand(env, all),
			stateCommand(env),
			diffCommand(env),
			sliceCommand(env, all),
			shrinkCommand(env, all),
			anonymizeCommand(env, all),
			mapCommand(env, all),
			monitorCommand(env, all),
			checkpointCommand(env),
			recordCommand(env),
			writerCommand(env),
			convergeCommand(env),
			importCommand(env),
			exportCommand(env, all),
			generateCommand(env, all),
			healthCommand(env),
			specsCommand(env, all),
			versionCommand(env),
			completionCommand(env),
		},
		Action:               noCommand,
		OnUsageError:         usageError,
		EnableBashCompletion: true,
		// The library would end the process; run does.
		ExitErrHandler: func(*cli.Context, error) {},
	}
	app.BashComplete = func(c *cli.Context) { complete(env, app, nil) }
	for _, cmd := range app.Commands {
		cmd.HideHelpCommand = true // a trace may be called "help"
		cmd.OnUsageError = usageError
		cmd.BashComplete = func(*cli.Context) { complete(env, app, cmd) }
	}
	return app
}

func noCommand(c *cli.Context) error {
	names := strings.Join(commandNames(c.App), ", ")
	if c.Args().Present() {
		return fmt.Errorf("unknown command %q: want %s", c.Args().First(), names)
	}
	return errors.New("no command: want " + names + "; `tracecheck --help` says more")
}

func commandNames(app *cli.App) []string {
	var names []string
	for _, cmd := range app.Commands {
		if cmd.Name != "help" && !cmd.Hidden {
			names = append(names, cmd.Name)
		}
	}
	return names
}

// usageError gives the flag package's words two dashes where users write two.
func usageError(_ *cli.Context, err error, _ bool) error {
	text := err.Error()
	for _, before := range []string{"for flag -", "for -", "an argument: -"} {
		if lead, name, found := strings.Cut(text, before); found && !strings.HasPrefix(name, "-") {
			if word, _, _ := strings.Cut(name, ":"); len(word) > 1 {
				text = lead + before + "-" + name
			}
			break
		}
	}
	return errors.New(text)
}
